// Makes every call, and compares what it returns: calls <service> <folder>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "spindrift.h"

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static const char RIGHT[] = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
static const char WRONG[] = "0000000000000000000000000000000000000000000000000000000000000000";
static const char *folder;

// A path in the folder. The program is short, so nothing frees it.
static char *in_folder(const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    CHECK(path != NULL);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = calloc(1, 65536);
    CHECK(text != NULL && fread(text, 1, 65535, file) < 65535);
    fclose(file);
    return text;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static spindrift_config config_at(const char *service) {
    spindrift_config config = {.size = sizeof config, .base_url = service, .owner = "acme", .app_name = "notes",
                               .version = "1.2.0", .channel = "stable", .platform = "linux", .arch = "amd64"};
    return config;
}

static spindrift_client *client_of(spindrift_config config) {
    spindrift_client *client = NULL;
    spindrift_error *error = NULL;
    spindrift_status status = spindrift_client_new(&config, &client, &error);
    if (status != SPINDRIFT_OK)
        fprintf(stderr, "%s\n", spindrift_error_message(error));
    CHECK(status == SPINDRIFT_OK && client != NULL && error == NULL);
    return client;
}

static spindrift_update *update_of(const spindrift_client *client) {
    spindrift_update *update = NULL;
    CHECK(spindrift_check(client, NULL, 0, &update, NULL) == SPINDRIFT_OK);
    CHECK(update != NULL);
    return update;
}

// The call has failed as it should, and the error says this. It takes the address of the error, because C may
// evaluate the arguments in any order.
static void expect(spindrift_status status, spindrift_status expected, spindrift_error **error, const char *says) {
    const char *message = spindrift_error_message(*error);
    if (status != expected || message == NULL || strstr(message, says) == NULL) {
        fprintf(stderr, "%d and not %d: %s\n", status, expected, message != NULL ? message : "no message");
        exit(1);
    }
    spindrift_error_free(*error);
}

static void null_is_an_invalid_argument(void) {
    spindrift_error *error = (spindrift_error *)&error;
    const char *text = NULL;
    size_t counted = 7;
    spindrift_status invalid = SPINDRIFT_INVALID_ARGUMENT;
    CHECK(spindrift_client_new(NULL, NULL, NULL) == invalid);
    CHECK(spindrift_check(NULL, NULL, 0, NULL, NULL) == invalid);
    CHECK(spindrift_download(NULL, NULL, NULL, NULL) == invalid);
    CHECK(spindrift_report(NULL, NULL, NULL, NULL, NULL) == invalid);
    CHECK(spindrift_replace_program(NULL, NULL, NULL) == invalid);
    CHECK(spindrift_kit_begin(NULL, NULL, 0, NULL, NULL) == invalid);
    CHECK(spindrift_kit_started(NULL) == invalid);
    CHECK(spindrift_kit_report(NULL, NULL, NULL, NULL, NULL) == invalid);
    CHECK(spindrift_kit_send(NULL, NULL, &counted, NULL) == invalid && counted == 0);
    CHECK(spindrift_kit_reset_device(NULL) == invalid);
    CHECK(spindrift_trust_verify_file(NULL, NULL, NULL, NULL, NULL) == invalid);
    CHECK(spindrift_trust_withheld(NULL, NULL, NULL, NULL, NULL) == invalid);
    CHECK(spindrift_trust_reset_clock(NULL, NULL) == invalid);
    CHECK(spindrift_trust_damaged_state(NULL, &text, NULL) == invalid && text == NULL);

    CHECK(spindrift_update_version(NULL) == NULL && spindrift_update_notes(NULL) == NULL);
    CHECK(spindrift_update_signature(NULL) == NULL && spindrift_update_url(NULL, NULL) == NULL);
    CHECK(!spindrift_update_is_critical(NULL) && !spindrift_update_is_required(NULL));
    CHECK(spindrift_kit_device_id(NULL) == NULL && spindrift_error_message(NULL) == NULL);
    CHECK(spindrift_error_http_status(NULL) == 0 && spindrift_error_retry_after(NULL) == 0);
    CHECK(spindrift_progress_bytes(NULL) == 0 && spindrift_progress_total(NULL) == 0);
    spindrift_progress_cancel(NULL);
    spindrift_progress_free(NULL);
    spindrift_client_free(NULL);
    spindrift_update_free(NULL);
    spindrift_error_free(NULL);
    spindrift_kit_forget(NULL);
    spindrift_kit_end(NULL);

    spindrift_status status = spindrift_replace_program(NULL, "new", &error);
    expect(status, invalid, &error, "program is NULL");
}

static void refuse(spindrift_config config, const char *says) {
    spindrift_client *client = (spindrift_client *)&config;
    spindrift_error *error = NULL;
    expect(spindrift_client_new(&config, &client, &error), SPINDRIFT_INVALID_ARGUMENT, &error, says);
    CHECK(client == NULL);
}

static void a_configuration_is_checked(const char *service) {
    spindrift_config config = config_at(service);
    config.size = 0;
    refuse(config, "config.size is 0");
    config = config_at(NULL);
    refuse(config, "base_url is NULL");
    config = config_at("updates.example");
    refuse(config, "invalid base url");
    config = config_at(service);
    config.owner = "acm\xff";
    refuse(config, "owner is not UTF-8");
    config = config_at(service);
    config.groups = "grp_0";
    refuse(config, "invalid group key");
    config = config_at(service);
    config.report_key = "rpk_0";
    refuse(config, "invalid report key");
    // A root that could not be read does not turn verification off.
    config = config_at(service);
    config.trust_folder = folder;
    refuse(config, "trust_root is NULL");
    config.trust_repository = "acme/notes";
    config.trust_root = "{}";
    refuse(config, "invalid root");
}

static void a_check_finds_an_update_or_none(const char *service, const char *none, const char *busy) {
    spindrift_client *client = client_of(config_at(service));
    spindrift_update *update = update_of(client);
    CHECK(strcmp(spindrift_update_version(update), "1.3.0") == 0);
    CHECK(strcmp(spindrift_update_notes(update), "Faster \xe2\x80\x93 much") == 0);
    CHECK(spindrift_update_is_critical(update) && !spindrift_update_is_required(update));
    CHECK(strstr(spindrift_update_url(update, "deb"), "/notes.deb") != NULL);
    CHECK(spindrift_update_url(update, "rpm") == NULL && spindrift_update_url(update, NULL) == NULL);
    CHECK(spindrift_update_url(update, "\xff") == NULL && spindrift_update_signature(update) == NULL);
    spindrift_client_free(client);
    CHECK(strcmp(spindrift_update_version(update), "1.3.0") == 0);
    spindrift_update_free(update);

    client = client_of(config_at(none));
    update = (spindrift_update *)client;
    CHECK(spindrift_check(client, NULL, 1, &update, NULL) == SPINDRIFT_OK && update == NULL);
    spindrift_client_free(client);

    client = client_of(config_at(busy));
    spindrift_error *error = NULL;
    spindrift_status status = spindrift_check(client, NULL, 0, &update, &error);
    CHECK(spindrift_error_http_status(error) == 503 && spindrift_error_retry_after(error) == 7);
    expect(status, SPINDRIFT_REQUEST_FAILED, &error, "status 503");
    spindrift_client_free(client);
}

static void a_download_is_verified(const char *service) {
    spindrift_client *client = client_of(config_at(service));
    spindrift_update *update = update_of(client);
    spindrift_error *error = NULL;
    char *path = in_folder("new");
    spindrift_download_options options = {.size = sizeof options, .package = "deb", .path = path, .sha256 = WRONG};
    expect(spindrift_download(client, update, &options, &error), SPINDRIFT_WRONG_CONTENT, &error, "sha256");
    CHECK(read_file(path) == NULL);

    options.sha256 = "0";
    expect(spindrift_download(client, update, &options, &error), SPINDRIFT_INVALID_ARGUMENT, &error, "sha256");
    options.sha256 = RIGHT;
    options.package = "rpm";
    expect(spindrift_download(client, update, &options, &error), SPINDRIFT_INVALID_ARGUMENT, &error, "rpm");
    options.package = "deb";
    options.path = in_folder("missing/new");
    expect(spindrift_download(client, update, &options, &error), SPINDRIFT_FILE, &error, "missing");
    options.path = path;

    spindrift_progress *progress = spindrift_progress_new();
    options.progress = progress;
    spindrift_progress_cancel(progress);
    expect(spindrift_download(client, update, &options, &error), SPINDRIFT_CANCELLED, &error, "cancelled");
    // A patch that does not exist is not needed.
    options.base = path;
    CHECK(spindrift_download(client, update, &options, &error) == SPINDRIFT_OK && error == NULL);
    CHECK(spindrift_progress_bytes(progress) == 5 && spindrift_progress_total(progress) == 5);
    CHECK(strcmp(read_file(path), "hello") == 0);
    spindrift_progress_free(progress);

    char *program = in_folder("program");
    write_file(program, "old");
    CHECK(spindrift_replace_program(program, path, &error) == SPINDRIFT_OK);
    CHECK(strcmp(read_file(program), "hello") == 0 && read_file(path) == NULL);
    expect(spindrift_replace_program(program, path, &error), SPINDRIFT_FILE, &error, program);
    spindrift_update_free(update);
    spindrift_client_free(client);
}

// Cancels once bytes have arrived.
static int cancel(void *progress) {
    while (spindrift_progress_bytes(progress) == 0)
        thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    spindrift_progress_cancel(progress);
    return 0;
}

static void another_thread_cancels_a_download(const char *service) {
    spindrift_client *client = client_of(config_at(service));
    spindrift_update *update = update_of(client);
    spindrift_progress *progress = spindrift_progress_new();
    spindrift_error *error = NULL;
    thrd_t thread;
    CHECK(thrd_create(&thread, cancel, progress) == thrd_success);
    spindrift_download_options options = {
        .size = sizeof options, .package = "msi", .path = in_folder("endless"), .progress = progress};
    spindrift_status status = spindrift_download(client, update, &options, &error);
    CHECK(thrd_join(thread, NULL) == thrd_success);
    CHECK(spindrift_progress_bytes(progress) == 5 && spindrift_progress_total(progress) == 100);
    expect(status, SPINDRIFT_CANCELLED, &error, "cancelled");
    spindrift_progress_free(progress);
    spindrift_update_free(update);
    spindrift_client_free(client);
}

static void only_signed_files_are_downloaded(const char *service, const char *unsigned_service) {
    spindrift_config config = config_at(service);
    config.trust_root = read_file(in_folder("root.json"));
    config.trust_repository = "acme/notes";
    config.trust_folder = in_folder("trust");
    spindrift_client *client = client_of(config);
    spindrift_update *update = update_of(client);
    spindrift_error *error = NULL;
    char *path = in_folder("signed");
    spindrift_download_options options = {.size = sizeof options, .package = "deb", .path = path};
    spindrift_status status = spindrift_download(client, update, &options, &error);
    if (status != SPINDRIFT_OK)
        fprintf(stderr, "%s\n", spindrift_error_message(error));
    CHECK(status == SPINDRIFT_OK && strcmp(read_file(path), "hello") == 0);
    CHECK(spindrift_trust_verify_file(client, "1.3.0", "deb", path, &error) == SPINDRIFT_OK);
    write_file(path, "other");
    status = spindrift_trust_verify_file(client, "1.3.0", "deb", path, &error);
    expect(status, SPINDRIFT_WRONG_CONTENT, &error, "digest");
    status = spindrift_trust_verify_file(client, "1.2.0", "deb", path, &error);
    expect(status, SPINDRIFT_NOT_TRUSTED, &error, "not newer");

    const char *text = path;
    uint64_t since = 7;
    CHECK(spindrift_trust_withheld(client, update, &text, &since, NULL) == SPINDRIFT_OK);
    CHECK(text == NULL && since == 0);
    text = path;
    CHECK(spindrift_trust_damaged_state(client, &text, NULL) == SPINDRIFT_OK && text == NULL);
    CHECK(spindrift_trust_reset_clock(client, NULL) == SPINDRIFT_OK);
    spindrift_update_free(update);
    spindrift_client_free(client);

    // This service offers a version that nobody has signed.
    config.base_url = unsigned_service;
    client = client_of(config);
    update = update_of(client);
    status = spindrift_download(client, update, &options, &error);
    expect(status, SPINDRIFT_NOT_TRUSTED, &error, "1.4.0 is not listed");
    spindrift_update_free(update);
    spindrift_client_free(client);

    client = client_of(config_at(service));
    expect(spindrift_trust_reset_clock(client, &error), SPINDRIFT_INVALID_ARGUMENT, &error, "trust_root is NULL");
    spindrift_client_free(client);
}

static void a_kit_keeps_failures_until_they_are_sent(const char *service) {
    char key[69] = "rpk_";
    memset(key + 4, '0', 64);
    spindrift_config config = config_at(service);
    config.report_key = key;
    config.device_id = "device-1";
    spindrift_kit *kit = NULL;
    spindrift_error *error = NULL;
    CHECK(spindrift_kit_begin(&config, in_folder("kit"), 1, &kit, &error) == SPINDRIFT_OK && error == NULL);
    CHECK(spindrift_kit_started(kit) == SPINDRIFT_OK);
    const char *id = spindrift_kit_device_id(kit);
    CHECK(strlen(id) == 32 && spindrift_kit_device_id(kit) == id);
    CHECK(spindrift_kit_reset_device(kit) == SPINDRIFT_OK);
    CHECK(strlen(id) == 32 && strcmp(spindrift_kit_device_id(kit), id) != 0);

    spindrift_status status = spindrift_kit_report(kit, "oops", "a", NULL, &error);
    expect(status, SPINDRIFT_INVALID_ARGUMENT, &error, "invalid event");
    status = spindrift_kit_report(kit, "crash", "a b", NULL, &error);
    expect(status, SPINDRIFT_INVALID_ARGUMENT, &error, "invalid reason");
    status = spindrift_kit_report(kit, "crash", "a", "[]", &error);
    expect(status, SPINDRIFT_INVALID_ARGUMENT, &error, "details is not a JSON object");
    status = spindrift_kit_report(kit, "update_failure", "digest.mismatch", "{\"file\": \"new\"}", &error);
    CHECK(status == SPINDRIFT_OK);

    spindrift_client *client = client_of(config);
    size_t counted = 0;
    CHECK(spindrift_kit_send(kit, client, &counted, &error) == SPINDRIFT_OK && counted == 1);
    CHECK(spindrift_kit_send(kit, client, &counted, &error) == SPINDRIFT_OK && counted == 0);
    spindrift_update *update = NULL;
    CHECK(spindrift_check(client, kit, 0, &update, &error) == SPINDRIFT_OK && update != NULL);
    spindrift_update_free(update);
    spindrift_kit_end(kit);
    CHECK(spindrift_kit_begin(&config, in_folder("kit"), 1, &kit, &error) == SPINDRIFT_OK);
    CHECK(spindrift_kit_send(kit, client, &counted, &error) == SPINDRIFT_OK && counted == 0);
    spindrift_kit_forget(kit);
    CHECK(read_file(in_folder("kit/kit.json")) == NULL);

    CHECK(spindrift_report(client, "crash", "uncaught.oops", NULL, &error) == SPINDRIFT_OK);
    spindrift_client_free(client);
    client = client_of(config_at(service));
    status = spindrift_report(client, "crash", "uncaught.oops", NULL, &error);
    expect(status, SPINDRIFT_INVALID_ARGUMENT, &error, "report_key is NULL");
    spindrift_client_free(client);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    const char *service = argv[1];
    folder = argv[2];
    char none[256], busy[256], other[256];
    snprintf(none, sizeof none, "%s/none", service);
    snprintf(busy, sizeof busy, "%s/busy", service);
    snprintf(other, sizeof other, "%s/unsigned", service);

    CHECK(strchr(spindrift_version(), '.') != NULL);
    null_is_an_invalid_argument();
    a_configuration_is_checked(service);
    a_check_finds_an_update_or_none(service, none, busy);
    a_download_is_verified(service);
    another_thread_cancels_a_download(service);
    only_signed_files_are_downloaded(service, other);
    a_kit_keeps_failures_until_they_are_sent(service);
    puts("all calls are fine");
    return 0;
}
