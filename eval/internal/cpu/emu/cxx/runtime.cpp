// The runtime of the cpu device, linked into every candidate's shared object.
#define DW_HOST

#include "runtime/block.h"
#include "runtime/lines.h"
#include "runtime/check.h"
#include "runtime/schedule.h"
#include "runtime/collective.h"
#include "runtime/matrix.h"
#include "runtime/async_copy.h"
#include "runtime/bulk_copy.h"
#include "runtime/tensor_copy.h"
#include "runtime/wgmma.h"
#include "runtime/atomic.h"
#include "runtime/hooks.h"
#include "runtime/report.h"
#include "runtime/launch.h"
