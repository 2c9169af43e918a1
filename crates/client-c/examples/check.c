// Checks for an update, and downloads it.
//
//     cc -I include check.c libspindrift.a -lgcc_s -lutil -lrt -lpthread -lm -ldl -o check
//     ./check https://updates.example folder

#include <stdio.h>

#include "spindrift.h"

// Says why a call has failed, and frees the error.
static int failed(const char *what, spindrift_error *error) {
    fprintf(stderr, "%s: %s\n", what, spindrift_error_message(error));
    spindrift_error_free(error);
    return 1;
}

static int download(const spindrift_client *client, const spindrift_update *update, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/notes.deb", folder);
    spindrift_download_options options = {.size = sizeof options, .package = "deb", .path = path};
    // An application with signed metadata sets trust_root in its configuration instead. This digest comes from
    // the application's own page.
    options.sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    spindrift_error *error = NULL;
    if (spindrift_download(client, update, &options, &error) != SPINDRIFT_OK)
        return failed("not downloaded", error);
    printf("downloaded %s\n", path);
    return 0;
}

static int check(const spindrift_config *config, const spindrift_kit *kit, const char *folder) {
    spindrift_client *client = NULL;
    spindrift_update *update = NULL;
    spindrift_error *error = NULL;
    int exit_code = 0;

    if (spindrift_client_new(config, &client, &error) != SPINDRIFT_OK)
        return failed("no client", error);
    // Failures of earlier runs. If they cannot be sent, they are sent later.
    spindrift_kit_send(kit, client, NULL, NULL);

    if (spindrift_check(client, kit, 0, &update, &error) != SPINDRIFT_OK) {
        exit_code = failed("not checked", error);
    } else if (update == NULL) {
        puts("up to date");
    } else {
        const char *notes = spindrift_update_notes(update);
        printf("%s is there\n%s\n", spindrift_update_version(update), notes != NULL ? notes : "");
        exit_code = download(client, update, folder);
    }
    spindrift_update_free(update);
    spindrift_client_free(client);
    return exit_code;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: check <service> <folder>\n");
        return 2;
    }
    spindrift_config config = {
        .size = sizeof config,
        .base_url = argv[1],
        .owner = "acme",
        .app_name = "notes",
        .version = "1.2.0",
        .channel = "stable",
        .platform = "linux",
        .arch = "amd64",
    };
    spindrift_kit *kit = NULL;
    spindrift_error *error = NULL;
    if (spindrift_kit_begin(&config, argv[2], 0, &kit, &error) != SPINDRIFT_OK)
        return failed("no kit", error);
    int exit_code = check(&config, kit, argv[2]);
    spindrift_kit_end(kit);
    return exit_code;
}
