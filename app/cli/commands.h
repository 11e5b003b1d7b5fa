// One function a subcommand: adds its options to the app; when it was chosen, it runs and sets `exit_status`.
#pragma once

namespace CLI {
class App;
}

namespace warpscope {

void addDevicesCommand(CLI::App& app, int& exit_status);
void addListCommand(CLI::App& app, int& exit_status);
void addRunCommand(CLI::App& app, int& exit_status);
void addExecCommand(CLI::App& app, int& exit_status);
void addLanesCommand(CLI::App& app, int& exit_status);
void addRecordCommand(CLI::App& app, int& exit_status);
void addOccupancyCommand(CLI::App& app, int& exit_status);
void addCompareCommand(CLI::App& app, int& exit_status);
void addSweepCommand(CLI::App& app, int& exit_status);
void addMergeCommand(CLI::App& app, int& exit_status);
void addCheckCommand(CLI::App& app, int& exit_status);
void addShowCommand(CLI::App& app, int& exit_status);
void addExportCommand(CLI::App& app, int& exit_status);
void addScreenshotCommand(CLI::App& app, int& exit_status);
void addGuiCommand(CLI::App& app, int& exit_status);
void addCalibrateCommand(CLI::App& app, int& exit_status);
void addPtxCommand(CLI::App& app, int& exit_status);
void addServeCommand(CLI::App& app, int& exit_status);

}  // namespace warpscope
