#pragma once

namespace starope::io {

// Of the library that has a function at this address: the pages of its code and constants that were looked at no longer
// count as ours. Whoever calls it again finds them in its file. Nothing happens where there is no such library, or on
// other systems.
void release_code_around(const void* function);

}  // namespace starope::io
