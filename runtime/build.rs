//! Every cubecl runtime is the one `Cube` backend of burn: one `cfg` for all their features.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(cube)");
    println!("cargo::rerun-if-changed=build.rs");
    let runtimes = ["WGPU", "VULKAN", "METAL", "WEBGPU", "CUDA", "ROCM", "CPU"];
    if runtimes
        .iter()
        .any(|runtime| std::env::var_os(format!("CARGO_FEATURE_{runtime}")).is_some())
    {
        println!("cargo::rustc-cfg=cube");
    }
}
