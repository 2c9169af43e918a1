//! How the pages look.

use spindrift_core::AccentColor;

/// The colors are the console's.
const STYLE: &str = "\
:root{color-scheme:light dark;--ground:light-dark(#f6f7f8,#14171a);--paper:light-dark(#fff,#1c2024);\
--line:light-dark(#d9dee3,#343b42);--text:light-dark(#1c2329,#e6e9ec);--quiet:light-dark(#56626d,#a3adb7);\
--link:light-dark(#0a5f86,#6cc0e6);--accent:var(--link);--on-accent:light-dark(#fff,#0c1a22);\
--bad:light-dark(#a8231c,#ff9d94);font:17px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif}\
*,*::before,*::after{box-sizing:border-box}\
body{margin:0 auto;max-width:46rem;padding:2rem 1.25rem 4rem;background:var(--ground);color:var(--text)}\
a{color:var(--link);text-underline-offset:.15em}\
:focus-visible{outline:3px solid var(--text);outline-offset:3px;border-radius:4px}\
header{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem}\
header img{width:64px;height:64px;object-fit:contain}\
h1{font-size:2rem;line-height:1.2;margin:0;overflow-wrap:anywhere}h2{font-size:1.25rem;margin:2.5rem 0 .5rem}\
h3{font-size:1.1rem}p{margin:.5rem 0}.quiet{color:var(--quiet)}.bad{color:var(--bad)}\
.button,button{font:inherit;font-weight:600;display:inline-block;background:var(--accent);color:var(--on-accent);\
border:1px solid var(--quiet);border-radius:8px;padding:.75rem 1.5rem;text-decoration:none;cursor:pointer}\
section,form{overflow-wrap:anywhere}ul.files{list-style:none;margin:0;padding:0}\
ul.files li{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.6rem .9rem;margin:.5rem 0}\
code,pre{font:.85em/1.5 ui-monospace,\"SF Mono\",Consolas,\"Liberation Mono\",monospace}code{overflow-wrap:anywhere}\
pre{background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.75rem;overflow:auto}\
.notes img{max-width:100%}.notes table{border-collapse:collapse;display:block;overflow:auto}\
.notes th,.notes td{border:1px solid var(--line);padding:.25rem .6rem;text-align:left}\
label{display:block;margin:.75rem 0}\
input{font:inherit;display:block;width:100%;color:var(--text);background:var(--paper);\
border:1px solid var(--quiet);border-radius:6px;padding:.5rem}\
footer{margin-top:3rem;border-top:1px solid var(--line);padding-top:1rem}";

/// The style, with the accent color of an application in place of the service's. Only buttons have it, with a
/// color of text that is readable on it: links in it might not be readable on the page.
pub(crate) fn with_accent(accent: Option<&AccentColor>) -> String {
    match accent {
        Some(accent) => {
            format!("{STYLE}:root{{--accent:{accent};--on-accent:{}}}", accent.text_color())
        }
        None => STYLE.to_owned(),
    }
}
