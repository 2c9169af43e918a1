class Spindrift < Formula
  desc "Self-hosted update service for desktop software"
  homepage "@HOME@"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@URL@/spindrift-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@MACOS_AARCH64@"
    end
    on_intel do
      url "@URL@/spindrift-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@MACOS_X86_64@"
    end
  end

  on_linux do
    on_arm do
      url "@URL@/spindrift-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@LINUX_AARCH64@"
    end
    on_intel do
      url "@URL@/spindrift-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@LINUX_X86_64@"
    end
  end

  def install
    bin.install "spindrift"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/spindrift.bash" => "spindrift"
    zsh_completion.install "completions/spindrift.zsh" => "_spindrift"
    fish_completion.install "completions/spindrift.fish"
  end

  service do
    run [opt_bin/"spindrift", "up", "--state-dir", var/"spindrift"]
    keep_alive crashed: true
    log_path var/"log/spindrift.log"
    error_log_path var/"log/spindrift.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/spindrift --version")
  end
end
