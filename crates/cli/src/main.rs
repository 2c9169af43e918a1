//! The program `spindrift`.

// It gives the memory of a password hash (19 MiB) back at once. The allocator of glibc keeps some for each
// thread, and that of musl lets threads wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    spindrift_cli::main_from_args()
}
