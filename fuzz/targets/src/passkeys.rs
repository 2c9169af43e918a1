#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| { spindrift_fuzz_properties::passkeys(data); });
