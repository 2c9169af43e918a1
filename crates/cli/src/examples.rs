//! The examples at the end of each command's help.

use clap::Command;

/// Examples in the help of one command.
const EXAMPLES_SHOWN: usize = 2;

/// All examples: two for each command. A group shows the first ones of its commands.
const EXAMPLES: &str = "\
spindrift signup --username ada
spindrift signup --username ada --url localhost:3000
spindrift login --url updates.example.com
spindrift login --password --username ada
spindrift logout
spindrift logout --all
spindrift whoami
spindrift whoami --json
spindrift app create notes --description \"A small editor\"
spindrift app create desk --private --download-mode token
spindrift app list
spindrift app list --json
spindrift app update notes --reports
spindrift app update notes --rename notebook
spindrift app delete notes
spindrift app delete notes --json
spindrift channel create stable
spindrift channel create beta --include stable
spindrift channel list
spindrift channel list --json
spindrift channel update beta --include stable
spindrift channel update beta --rename preview
spindrift channel delete preview
spindrift channel delete preview --json
spindrift platform create linux
spindrift platform create windows --updater velopack
spindrift platform list
spindrift platform list --json
spindrift platform update linux --rename gnu-linux
spindrift platform update linux --updater manual --updater tauri
spindrift platform delete windows
spindrift platform delete windows --json
spindrift arch create amd64
spindrift arch create arm64 --json
spindrift arch list
spindrift arch list --json
spindrift arch update arm64 --rename aarch64
spindrift arch update amd64 --rename x86_64
spindrift arch delete aarch64
spindrift arch delete aarch64 --json
spindrift publisher add github acme/notes --workflow release.yml --app notes
spindrift publisher add github acme/notes --workflow release.yml --environment release --app notes --may publish
spindrift publisher add gitlab acme/apps/notes --app notes
spindrift publisher add gitlab acme/apps/notes --app notes --ref \"v*\" --channel beta
spindrift publisher add oidc organization:acme:pipeline:notes --issuer https://agent.buildkite.com --app notes
spindrift publisher add oidc organization:acme:pipeline:notes --issuer https://agent.buildkite.com --app notes --may upload,publish
spindrift publisher list --app notes
spindrift publisher list --app notes --json
spindrift publisher remove 018f0000-0000-7000-8000-000000000001
spindrift publisher remove 018f0000-0000-7000-8000-000000000001 --json
spindrift publisher test --app notes --owner ada
spindrift publisher test --app notes --owner ada --json
spindrift token create ci --app notes
spindrift token create release --app notes --may publish --expires-at 2030-01-31T00:00:00Z
spindrift token list
spindrift token list --json
spindrift token delete ci
spindrift token delete ci --json
spindrift download-token list
spindrift download-token list --json
spindrift download-token regenerate --app desk
spindrift download-token regenerate --app desk --channel stable
spindrift user create bob --may upload,download --app notes --channel stable --platform linux --arch amd64
spindrift user create eve --email eve@example.com --role on-call --app notes
spindrift user list
spindrift user list --json
spindrift user update bob --password
spindrift user update bob --role release-manager --app notes --channel stable --platform linux --arch amd64
spindrift user delete bob
spindrift user delete bob --json
spindrift invitation create --role on-call --app notes
spindrift invitation create bob --may upload --app notes --channel stable --platform linux --arch amd64
spindrift invitation list
spindrift invitation list --json
spindrift invitation revoke 018f0000-0000-7000-8000-000000000002
spindrift invitation revoke 018f0000-0000-7000-8000-000000000002 --json
spindrift publish --app notes --version 1.2.0 --channel stable --platform linux --arch amd64 --publish notes.deb
spindrift publish --app notes --version 1.3.0 --channel beta --platform linux --arch amd64 --at 2026-12-01T09:00:00+01:00 dist/*
spindrift check 1.0.0 --app notes --channel stable --platform linux --arch amd64
spindrift check 1.0.0 --app notes --channel stable --platform linux --arch amd64 --package deb --download updates/
spindrift explain --app notes --version 1.1.0
spindrift explain --app notes --version 1.1.0 --channel stable --platform linux --device 4f1c --at 2026-11-26T10:00:00Z
spindrift latest --app notes
spindrift latest --app notes --channel stable --platform linux --arch amd64 --package deb --download .
spindrift release list --app notes
spindrift release list --app notes --channel beta --published false
spindrift release show 1.2.0 --app notes
spindrift release show 1.2.0 --app notes --json
spindrift release receipt 1.3.0 --app notes
spindrift release receipt 1.3.0 --app notes --channel stable --strict
spindrift release publish 1.3.0 --app notes
spindrift release publish 1.3.0 --app notes --at 2026-12-01T09:00:00+01:00 --plan 1:1d,25:1d,100 --guard pause
spindrift release promote 1.3.0 --app notes --to stable --plan 1:1d,25:1d,100
spindrift release promote 1.3.0 --app notes --to stable --draft
spindrift release demote 1.3.0 --app notes --from stable
spindrift release demote 1.3.0 --app notes --from stable --json
spindrift release withdraw 1.2.0 --app notes --reason \"it deletes files\"
spindrift release withdraw 1.2.0 --app notes --reason \"it deletes files: install 1.2.1\" --json
spindrift release restore 1.2.0 --app notes
spindrift release restore 1.2.0 --app notes --reason \"withdrawn by mistake\"
spindrift release edit 1.3.0 --app notes --critical true --min-os 12
spindrift release edit 1.3.0 --app notes --changelog-file CHANGES.md
spindrift release delete 1.3.0 --app notes
spindrift release delete 1.3.0 --app notes --yes
spindrift release prune --app notes --keep 20 --dry-run
spindrift release prune --app notes --keep-patches 3 --yes
spindrift releases --app notes
spindrift releases --app notes --channel beta --json
spindrift rollout start 1.2.0 --app notes --plan 0.1:12h,5,20:1d,100
spindrift rollout start 1.2.0 --app notes --plan 1:1d,25:1d,100 --reason \"the usual plan\"
spindrift rollout set 1.2.0 10 --app notes
spindrift rollout set 1.2.0 0.1 --app notes --if-revision 7
spindrift rollout pause 1.2.0 --app notes
spindrift rollout pause 1.2.0 --app notes --reason \"wait for Monday\"
spindrift rollout resume 1.2.0 --app notes
spindrift rollout resume 1.2.0 --app notes --if-revision 7
spindrift rollout advance 1.2.0 --app notes
spindrift rollout advance 1.2.0 --app notes --if-revision 7
spindrift rollout complete 1.2.0 --app notes
spindrift rollout complete 1.2.0 --app notes --reason \"no crashes in two days\"
spindrift rollout halt 1.2.0 --app notes
spindrift rollout halt 1.2.0 --app notes --reason \"it does not start on old systems\"
spindrift rollout guard 1.2.0 pause --app notes
spindrift rollout guard 1.2.0 halt --app notes --max-failing 20
spindrift rollout health 1.2.0 --app notes
spindrift rollout health 1.2.0 --app notes --exit-code --and ./probe.sh
spindrift rollout show 1.2.0 --app notes
spindrift rollout show 1.2.0 --app notes --json
spindrift guard run
spindrift guard run --json
spindrift yank 1.2.0 --app notes
spindrift yank 1.2.0 --app notes --undo
spindrift group create qa --app notes
spindrift group create beta --app notes --reason \"a wider circle\"
spindrift group list --app notes
spindrift group list --app notes --json
spindrift group add qa 4f1c 7f0c6a1e --app notes
spindrift group add qa 4f1c --app notes --reason \"a new laptop\"
spindrift group remove qa 4f1c --app notes
spindrift group remove qa 4f1c --app notes --reason \"it was sold\"
spindrift group key qa --app notes
spindrift group key qa --app notes --json
spindrift group delete qa --app notes
spindrift group delete qa --app notes --json
spindrift shutoff add --app notes --reason \"looking into crashes\"
spindrift shutoff add --app notes --channel beta --platform windows --reason \"it does not start\"
spindrift shutoff list
spindrift shutoff list --app notes
spindrift shutoff lift 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21
spindrift shutoff lift 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21 --json
spindrift freeze add --app notes --to 2027-01-04T08:00:00+01:00 --reason \"holidays\"
spindrift freeze add --all-apps --from 2026-12-21T00:00:00+01:00 --to 2027-01-04T08:00:00+01:00 --reason \"holidays\"
spindrift freeze list
spindrift freeze list --app notes
spindrift freeze end 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21
spindrift freeze end 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21 --json
spindrift webhook add https://hooks.example.com/spindrift --kind release.publish --app notes
spindrift webhook add https://hooks.example.com/spindrift --kind rollout.*,health.* --name \"on call\" --halt-links
spindrift webhook edit 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21 --halt-links
spindrift webhook edit 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21 --no-halt-links --json
spindrift webhook list
spindrift webhook list --json
spindrift webhook test 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21
spindrift webhook test 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21 --json
spindrift webhook remove 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21
spindrift webhook remove 0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21 --json
spindrift trust init --app notes
spindrift trust init --app notes --adopt --yes
spindrift trust sign --app notes
spindrift trust sign --app notes --stored
spindrift trust rotate root --app notes
spindrift trust rotate root --app notes --compromised
spindrift trust rotate targets --app notes
spindrift trust rotate targets --app notes --online
spindrift trust rotate online --app notes
spindrift trust rotate online --app notes --json
spindrift trust renew root --app notes
spindrift trust renew root --app notes --json
spindrift trust renew targets --app notes
spindrift trust renew targets --app notes --channel stable
spindrift trust delegate --app notes --channel stable --key release.pub --with release.pem
spindrift trust delegate --app notes --channel stable --undo
spindrift trust revoke --app notes --version 1.2.0
spindrift trust revoke --app notes --version 1.2.0 --json
spindrift trust status --app notes
spindrift trust status --app notes --json
spindrift trust verify --app notes
spindrift trust verify --app notes --json
spindrift trust key new spare.pem
spindrift trust key new spare.pem --no-passphrase
spindrift trust key show spare.pem
spindrift trust key show spare.pem --json
spindrift telemetry --range week --app notes
spindrift telemetry --range month --json
spindrift reports list --app notes --status open
spindrift reports list --app notes --type crash --from 2026-11-01
spindrift reports show 477918de
spindrift reports show 477918de --json
spindrift reports resolve 477918de
spindrift reports resolve 477918de --note \"repaired in 1.1.0\"
spindrift reports mute 477918de
spindrift reports mute 477918de --note \"an old driver\"
spindrift audit list --app notes --release 1.2.0
spindrift audit list --by ada --kind \"token.*\" --since 2026-11-01T00:00:00Z
spindrift audit export audit.jsonl
spindrift audit export /var/backups/audit.jsonl --quiet
spindrift audit verify audit.jsonl
spindrift audit verify --head 1:ff44e121014845ba9f060b9dd529b57e3706d9dcbf47ce18d6a7e50bea6c7e46
spindrift import faynosync --from https://old.example.com --username ada --dry-run
spindrift import faynosync --from https://old.example.com --username ada --users-file users.json
spindrift doctor
spindrift doctor --app notes --origin https://admin.example.com
spindrift up
spindrift up --listen 127.0.0.1:3001 --state-dir /var/lib/spindrift
spindrift health
spindrift health --listen 127.0.0.1:3001
spindrift demo
spindrift backup --to /var/backups/spindrift --keep 30
spindrift backup --to backups --state-dir /var/lib/spindrift
spindrift restore --from /var/backups/spindrift/2026-11-25T16-30-00Z
spindrift restore --from backups/2026-11-25T16-30-00Z --state-dir /var/lib/spindrift
spindrift self update
spindrift self update --check
spindrift completions bash
spindrift completions zsh
spindrift man
spindrift man --dir man/
";

/// Adds the examples to every command below this one.
pub(crate) fn add_examples(command: Command) -> Command {
    add_below(command, "spindrift")
}

fn add_below(command: Command, path: &str) -> Command {
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        let shown = examples_of(&inner, &path).into_iter().map(|example| format!("\n  {example}"));
        let text = format!("Examples:{}", shown.collect::<String>());
        add_below(inner.after_help(text), &path)
    })
}

/// The examples of the command. A group shows the first example of each of its first commands.
fn examples_of(command: &Command, path: &str) -> Vec<&'static str> {
    let of_path = |path: String| {
        EXAMPLES.lines().filter(move |line| {
            line.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    if command.has_subcommands() {
        let inner = command.get_subcommands().map(|inner| format!("{path} {}", inner.get_name()));
        let firsts: Vec<&str> = inner.filter_map(|path| of_path(path).next()).take(EXAMPLES_SHOWN).collect();
        if firsts.len() == EXAMPLES_SHOWN {
            return firsts;
        }
    }
    of_path(path.to_owned()).take(EXAMPLES_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Checks the examples of `command` and of all commands below it, and adds them to `seen`.
    fn collect_examples(command: &Command, path: &str, seen: &mut BTreeSet<&'static str>) {
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            let path = format!("{path} {}", inner.get_name());
            let examples = examples_of(inner, &path);
            // There is only one way to call a command without arguments.
            let mut own = inner
                .get_arguments()
                .filter(|argument| !argument.is_global_set() && argument.get_id() != "help");
            let has_arguments = inner.has_subcommands() || own.next().is_some();
            let least = if has_arguments { EXAMPLES_SHOWN } else { 1 };
            assert!((least..=EXAMPLES_SHOWN).contains(&examples.len()), "{path}: {examples:?}");
            if !inner.has_subcommands() {
                seen.extend(examples);
            }
            collect_examples(inner, &path, seen);
        }
    }

    #[test]
    fn every_command_has_two_examples_that_are_understood() {
        let command = crate::command();
        let mut seen = BTreeSet::new();
        collect_examples(&command, "spindrift", &mut seen);
        assert_eq!(seen, EXAMPLES.lines().collect(), "one is never shown");
        for example in seen {
            // The words in quotation marks are one argument.
            let quoted = example.split('"').enumerate();
            let words = quoted.flat_map(|(place, text)| match place % 2 {
                0 => text.split_whitespace().collect::<Vec<_>>(),
                _ => vec![text],
            });
            let understood = command.clone().try_get_matches_from(words);
            assert!(understood.is_ok(), "{example}: {understood:?}");
        }
    }
}
