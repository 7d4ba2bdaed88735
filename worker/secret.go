package worker

import "errand/tools"

// Secret is text that no way of printing, logging or encoding shows: all that
// comes out is whether it is set. Convert it to a string where it is sent.
type Secret = tools.Secret
