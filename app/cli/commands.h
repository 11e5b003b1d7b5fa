// The subcommands, one function and one file each: it adds the subcommand with its options, and what it does.
#pragma once

#include "app/cli/command.h"

namespace warpscope {

void addCalibrateCommand(Command root);
void addCheckCommand(Command root);
void addCompareCommand(Command root);
void addDevicesCommand(Command root);
void addExecCommand(Command root);
void addExportCommand(Command root);
void addGuiCommand(Command root);
void addHelpCommand(Command root);
void addLanesCommand(Command root);
void addLessonCommand(Command root);
void addListCommand(Command root);
void addMergeCommand(Command root);
void addNvrtcCommand(Command root);
void addOccupancyCommand(Command root);
void addPairsCommand(Command root);
void addPtxCommand(Command root);
void addRecordCommand(Command root);
void addRunCommand(Command root);
void addScreenshotCommand(Command root);
void addServeCommand(Command root);
void addShowCommand(Command root);
void addSweepCommand(Command root);

}  // namespace warpscope
