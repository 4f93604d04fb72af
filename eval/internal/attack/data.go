package attack

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// words are a struct of 64-bit fields.
func words(list ...uint64) (b []byte) {
	for _, w := range list {
		b = binary.NativeEndian.AppendUint64(b, w)
	}
	return b
}

var (
	// queued is a siginfo_t with the code SI_QUEUE, which anybody may send.
	queued = append(append(words(0), halves(0xffffffff, 0)...), make([]byte, 112)...)
	// bpfArray is what BPF_MAP_CREATE takes: an array of one number.
	bpfArray = append(halves(2, 4, 4, 1), make([]byte, 56)...)
	// perfClock is a struct perf_event_attr: the time of this process.
	perfClock = append(halves(unix.PERF_TYPE_SOFTWARE, 112), make([]byte, 104)...)
)

// halves are a struct of 32-bit fields.
func halves(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.NativeEndian.AppendUint32(b, w)
	}
	return b
}

// clone3Args is a struct clone_args for a process.
func clone3Args(flags uint64) []byte {
	return words(flags, 0, 0, 0, uint64(unix.SIGCHLD), 0, 0, 0, 0, 0, 0)
}

// The machine code that native attacks are made with: C compilers see no call of a library's function in it. It is
// that of amd64, the source is in the comments.
var (
	// machineCall is glibc's syscall(2).
	machineCall = []byte{
		0x48, 0x89, 0xf8, // mov %rdi, %rax
		0x48, 0x89, 0xf7, // mov %rsi, %rdi
		0x48, 0x89, 0xd6, // mov %rdx, %rsi
		0x48, 0x89, 0xca, // mov %rcx, %rdx
		0x4d, 0x89, 0xc2, // mov %r8, %r10
		0x4d, 0x89, 0xc8, // mov %r9, %r8
		0x4c, 0x8b, 0x4c, 0x24, 0x08, // mov 8(%rsp), %r9
		0x0f, 0x05, // syscall
		0xc3, // ret
	}
	// machineSpawn starts so many threads that wait for ever, on no stack of their own, and returns how many it
	// started.
	machineSpawn = []byte{
		0x53, 0x41, 0x54, // push %rbx; push %r12
		0x48, 0x89, 0xfb, // mov %rdi, %rbx
		0x45, 0x31, 0xe4, // xor %r12d, %r12d
		0x48, 0x85, 0xdb, 0x74, 0x35, // more: test %rbx, %rbx; jz done
		0xbf, 0x00, 0x0f, 0x05, 0x00, // mov $(VM | FS | FILES | SIGHAND | THREAD | SYSVSEM), %edi
		0x31, 0xf6, 0x31, 0xd2, // xor %esi, %esi; xor %edx, %edx
		0x45, 0x31, 0xd2, 0x45, 0x31, 0xc0, // xor %r10d, %r10d; xor %r8d, %r8d
		0xb8, 0x38, 0x00, 0x00, 0x00, 0x0f, 0x05, // mov $SYS_clone, %eax; syscall
		0x48, 0x85, 0xc0, 0x74, 0x0a, 0x78, 0x18, // test %rax, %rax; jz child; js done
		0x49, 0xff, 0xc4, 0x48, 0xff, 0xcb, 0xeb, 0xd6, // inc %r12; dec %rbx; jmp more
		0xb8, 0x07, 0x00, 0x00, 0x00, // child: mov $SYS_poll, %eax
		0x31, 0xff, 0x31, 0xf6, 0x83, 0xca, 0xff, // xor %edi, %edi; xor %esi, %esi; or $-1, %edx
		0x0f, 0x05, 0xeb, 0xf0, // syscall; jmp child
		0x4c, 0x89, 0xe0, 0x41, 0x5c, 0x5b, 0xc3, // done: mov %r12, %rax; pop %r12; pop %rbx; ret
	}
)

// address is where the bytes are.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
