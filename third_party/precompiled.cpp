// Empty: this unit belongs to the target that compiles the precompiled header.
