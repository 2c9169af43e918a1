//! The program `spindrift`.

// mimalloc returns the memory of a password hash (19 MiB) at once. The allocator of glibc retains
// some for each thread, and that of musl makes threads wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    spindrift_cli::main_from_args()
}
