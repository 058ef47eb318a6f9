#pragma once

namespace starope::cli {

// Descriptors 0, 1 and 2 that the caller has closed would be given to the next files that are opened, and messages
// would go into them. They are occupied by something that neither gives nor takes: what reads or writes there fails,
// and says so. To be called before any file is opened.
void occupy_standard_descriptors();

// A signal that ends the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGXCPU) first removes the temporary files
// of unfinished outputs. Signals that the caller ignores stay ignored.
void remove_temporary_files_on_signals();

}  // namespace starope::cli
