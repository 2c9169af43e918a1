// Written from the source by crates/client-c/tests/suite/header.rs
//
// The client library of Spindrift, for C and for every language that can call C.
//
// Texts are UTF-8 and end with NUL. Paths are texts too, on all systems. A text that you pass stays yours,
// and is read during the call only. A text that you get belongs to the handle that it comes from. Do not
// change or free it, and do not use it after you have freed the handle.
//
// Handles (client, kit, update, progress, error) are yours from the call that makes them until you free
// them. Each is freed once, by the function of its kind. Freeing NULL does nothing. A handle does not need
// the arguments that it was made with, and handles may be freed in any order.
//
// A function that can fail returns a status. Its argument `error` is NULL, or the address of a variable,
// which then holds an error that you free, or NULL if there was no failure. Results have variables of the
// same kind, and are NULL or 0 after a failure. A NULL that an argument does not allow, a text that is not
// UTF-8, and a value that is not valid give `SPINDRIFT_INVALID_ARGUMENT`, before anything is sent. A flag is 0
// for no, and anything else for yes.
//
// Calls block until they are done. Several threads may use a handle at the same time, but no thread may use
// one that is being freed. The library never calls you. It has threads of its own for files and the names of
// hosts, which end when the client is freed.

#ifndef SPINDRIFT_H
#define SPINDRIFT_H

#include <stddef.h>
#include <stdint.h>

// How a call ended. Later versions may return further values.
typedef enum {
    // It has done what it should.
    SPINDRIFT_OK = 0,
    // An argument is NULL where it must not be, is not UTF-8, or has an invalid value. This is also the
    // status if the call does not fit the handles: the message says why.
    SPINDRIFT_INVALID_ARGUMENT = 1,
    // The service, or the server of a download, did not answer, or refused. Try again later, but not before
    // `spindrift_error_retry_after`.
    SPINDRIFT_REQUEST_FAILED = 2,
    // The file has another length or digest than expected, or is over the limit of 5 GiB. A download deletes
    // it.
    SPINDRIFT_WRONG_CONTENT = 3,
    // Signed metadata does not allow this file: do not install it.
    SPINDRIFT_NOT_TRUSTED = 4,
    // The clock shows an earlier time than at the last refresh of signed metadata. See
    // `spindrift_trust_reset_clock`.
    SPINDRIFT_CLOCK_WENT_BACK = 5,
    // Another process or thread has the file or the folder.
    SPINDRIFT_BUSY = 6,
    // The file system has returned an error.
    SPINDRIFT_FILE = 7,
    // `spindrift_progress_cancel` has ended the download.
    SPINDRIFT_CANCELLED = 8,
    // A mistake in the library. It can be used further.
    SPINDRIFT_INTERNAL = 9,
} spindrift_status;

// Asks the service for updates, downloads them and reports failures.
typedef struct spindrift_client spindrift_client;

// Why a call has failed.
typedef struct spindrift_error spindrift_error;

// Keeps a random device id, and notices crashes, failed starts and rollbacks. A run of the application begins
// with `spindrift_kit_begin` and ends with `spindrift_kit_end`. If the process ends in any other way, the next
// run knows that it failed.
typedef struct spindrift_kit spindrift_kit;

// The progress of one download. A thread that draws it, or lets the user cancel, uses it while another
// thread is in `spindrift_download`. Free it after that call has returned.
typedef struct spindrift_progress spindrift_progress;

// A release that this installed copy should install.
typedef struct spindrift_update spindrift_update;

// The service and the application. Set all bytes to 0, then `size`, and then the fields that you need: NULL
// stands for a field that is not used. You keep the struct and its texts, which may be freed after the call.
typedef struct {
    // `sizeof(spindrift_config)`. Later versions of the struct are longer.
    size_t size;
    // The service's URL, such as `https://updates.example`. Required for a client.
    const char *base_url;
    // The URL of an edge, which is asked before the service.
    const char *edge_url;
    // The publisher of the application. Required.
    const char *owner;
    // The application. Required.
    const char *app_name;
    // The installed version. Required.
    const char *version;
    // The release channel. Reports need it, and the next two fields.
    const char *channel;
    // The operating system, by the name that the publisher gave it.
    const char *platform;
    // The processor, by the name that the publisher gave it.
    const char *arch;
    // The updater to check for. NULL: `manual`, which is meant for this library.
    const char *updater;
    // The version of the operating system, such as `13.6`: 1 to 4 numbers.
    const char *os_version;
    // Keys of groups of testers, at most 4, with commas between them.
    const char *groups;
    // A random identifier of this installed copy, 1 to 128 printable ASCII characters. A kit makes and keeps
    // one, which then counts instead.
    const char *device_id;
    // The report key of the application. Without it, nothing is reported.
    const char *report_key;
    // A login, for downloads of a private application.
    const char *token;
    // A download token, for a private application that requires one.
    const char *download_token;
    // The text of the `root.json` that the application was built with. With it, `spindrift_download` accepts
    // only files that were signed for this installed copy. The next two fields are then required.
    const char *trust_root;
    // The name of the signed repository, such as `acme/notes`.
    const char *trust_repository;
    // The path of a folder that outlives updates, and to which only the application can write.
    const char *trust_folder;
    // The public URL of the bucket, which is asked for signed metadata after the service.
    const char *trust_bucket_url;
    // Further channels whose files may be installed, with commas between them, the preferred one first.
    const char *trust_channels;
} spindrift_config;

// A download. Set all bytes to 0, then `size`, and then the fields that you need. You keep the struct and
// everything in it.
typedef struct {
    // `sizeof(spindrift_download_options)`. Later versions of the struct are longer.
    size_t size;
    // The extension of the file without the dot, such as `deb`. NULL: the file without an extension.
    const char *package;
    // The path of the file to write, in a folder that exists and to which only the application can write. A
    // file at that path is replaced. Required.
    const char *path;
    // The SHA-256 digest that the file must have: 64 lower-case hexadecimal digits. NULL: only signed
    // metadata, if the client has it, and a patch say which file is the right one.
    const char *sha256;
    // The path of the same file of the installed version. If the update has a patch for it, only the patch is
    // downloaded. If the patch cannot be used, the whole file is. NULL: patches are not used.
    const char *base;
    // Shows the progress to other threads. NULL: it is not shown.
    const spindrift_progress *progress;
} spindrift_download_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The reason, in English, for a log. It has no secrets and no device id. It belongs to the error. NULL if
// `error` is NULL.
const char *spindrift_error_message(const spindrift_error *error);

// The HTTP status of the answer that was not the expected one. 0: there was no answer, or `error` is NULL.
int spindrift_error_http_status(const spindrift_error *error);

// How many seconds the service asks to wait before the next attempt. 0: it did not ask, or `error` is NULL.
uint64_t spindrift_error_retry_after(const spindrift_error *error);

// Frees an error.
void spindrift_error_free(spindrift_error *error);

// Makes a client. It reads the certificates of the system, and does not connect.
spindrift_status spindrift_client_new(const spindrift_config *config,
                                      spindrift_client **client,
                                      spindrift_error **error);

// Frees a client, and ends its threads and connections. Its updates stay valid.
void spindrift_client_free(spindrift_client *client);

// Begins a run. Call it as early as possible, once in a process.
//
// `folder` is the path of a folder of the application's own data, for this user; it is created if it is
// missing. If it cannot be used, there is a device id for this run only, and nothing is noticed.
//
// `says_when_started` is a flag: whether the application calls `spindrift_kit_started`. Then a run that ends
// before is a failed start, and otherwise a crash.
//
// Of `config`, the URLs are not used. Without a report key, the kit only keeps a device id.
spindrift_status spindrift_kit_begin(const spindrift_config *config,
                                     const char *folder,
                                     int says_when_started,
                                     spindrift_kit **kit,
                                     spindrift_error **error);

// The device id: 32 random hexadecimal digits. The text belongs to the kit. NULL if `kit` is NULL.
const char *spindrift_kit_device_id(const spindrift_kit *kit);

// The application has started, and works.
spindrift_status spindrift_kit_started(const spindrift_kit *kit);

// Keeps a failure that the application has noticed, until it is sent. The arguments are those of
// `spindrift_report`; details of more than 8 KiB are left out.
spindrift_status spindrift_kit_report(const spindrift_kit *kit,
                                      const char *event,
                                      const char *reason,
                                      const char *details,
                                      spindrift_error **error);

// Sends the failures that wait. They stay for the next call if the service cannot be reached, or asks to
// wait. A failure that the service refuses is dropped.
//
// `counted` is NULL, or a variable for the number of failures that the service has counted.
spindrift_status spindrift_kit_send(const spindrift_kit *kit,
                                    const spindrift_client *client,
                                    size_t *counted,
                                    spindrift_error **error);

// Makes another device id. Texts with the old one stay valid until the kit is freed.
spindrift_status spindrift_kit_reset_device(const spindrift_kit *kit);

// Deletes everything that the kit has kept, as when a user withdraws consent, and frees the kit.
void spindrift_kit_forget(spindrift_kit *kit);

// Ends the run as it should end, and frees the kit. Call it last, and before `exit`.
void spindrift_kit_end(spindrift_kit *kit);

// Checks for an update: asks the edge, if there is one, and then the service. It takes at most 16 seconds.
//
// `kit` is the kit whose device id is sent, or NULL: then it is that of the configuration. Without a device
// id, the copy gets no release whose rollout is below 100 %.
//
// `user_asked` is a flag: whether the user has just asked for the update. Do not set it in regular checks.
//
// `update` is a variable for the update, which you free. It is NULL if there is nothing that this installed
// copy should install.
spindrift_status spindrift_check(const spindrift_client *client,
                                 const spindrift_kit *kit,
                                 int user_asked,
                                 spindrift_update **update,
                                 spindrift_error **error);

// Its version. It belongs to the update. NULL if `update` is NULL.
const char *spindrift_update_version(const spindrift_update *update);

// Its release notes, which may be Markdown. They belong to the update. NULL: there are none.
const char *spindrift_update_notes(const spindrift_update *update);

// The signature that was uploaded with it, unchanged. The library does not verify it. It belongs to the
// update. NULL: there is none.
const char *spindrift_update_signature(const spindrift_update *update);

// The URL of one of its files. It belongs to the update. `package` is the file's extension without the dot,
// such as `deb`; NULL or an empty text stands for the file without an extension. NULL: the release does not
// have it.
const char *spindrift_update_url(const spindrift_update *update, const char *package);

// A flag: whether it, or a release between it and the installed version, is critical.
int spindrift_update_is_critical(const spindrift_update *update);

// A flag: whether it must be installed before anything newer is offered.
int spindrift_update_is_required(const spindrift_update *update);

// Frees an update.
void spindrift_update_free(spindrift_update *update);

// Makes a progress, which you free. Pass it to one download.
spindrift_progress *spindrift_progress_new(void);

// The bytes on disk. The number decreases if the download starts again. With a patch, they are first those
// of the patch. 0 if `progress` is NULL.
uint64_t spindrift_progress_bytes(const spindrift_progress *progress);

// The bytes of the whole file. 0: not known yet, or `progress` is NULL.
uint64_t spindrift_progress_total(const spindrift_progress *progress);

// Ends the download with `SPINDRIFT_CANCELLED`, also one that begins later. The next download to the same path
// continues with its bytes.
void spindrift_progress_cancel(const spindrift_progress *progress);

// Frees a progress.
void spindrift_progress_free(spindrift_progress *progress);

// Downloads a file of an update, and verifies it.
//
// A client with signed metadata accepts only a file that was signed for this installed copy, with its length,
// SHA-256 and SHA-512. Without signed metadata, set `sha256` to a digest that does not come from the answer
// to the check, or verify the file before you install it.
//
// The bytes go to `<path>.part`, which is renamed once they are verified. After an interruption, the next
// call for the same file and path continues. A server that sends nothing for 30 seconds counts as an
// interruption; after 5 attempts in a row without a new byte, the call fails.
spindrift_status spindrift_download(const spindrift_client *client,
                                    const spindrift_update *update,
                                    const spindrift_download_options *options,
                                    spindrift_error **error);

// Verifies a file that another updater has downloaded, before you install it: that it was signed for this
// installed copy, as this version and package. `package` is as in `spindrift_update_url`, and `path` is the
// path of the file.
spindrift_status spindrift_trust_verify_file(const spindrift_client *client,
                                             const char *version,
                                             const char *package,
                                             const char *path,
                                             spindrift_error **error);

// Finds a newer version that has been listed for 14 days without being offered. It is a warning: a rollout
// may be slow, but a service that withholds an update looks the same.
//
// `update` is the result of the last check, and may be NULL. `version` is a variable for the version, which
// belongs to the client; NULL: there is none. `since` is NULL, or a variable for the second (Unix time) since
// which it has not been offered.
spindrift_status spindrift_trust_withheld(const spindrift_client *client,
                                          const spindrift_update *update,
                                          const char **version,
                                          uint64_t *since,
                                          spindrift_error **error);

// Forgets the time of the last refresh, after `SPINDRIFT_CLOCK_WENT_BACK`. Call it if the clock was wrong then
// and is right now: with a clock that is behind, metadata that has expired is accepted.
spindrift_status spindrift_trust_reset_clock(const spindrift_client *client,
                                             spindrift_error **error);

// Finds the kept metadata that was damaged, and has been set aside: it no longer protects from older
// metadata. The file stays until you delete it.
//
// `path` is a variable for its path, which belongs to the client. NULL: nothing was damaged.
spindrift_status spindrift_trust_damaged_state(const spindrift_client *client,
                                               const char **path,
                                               spindrift_error **error);

// Reports a failure at once. It needs the report key and the device id of the configuration. With a kit, use
// `spindrift_kit_report`, which keeps the failure until it can be sent.
//
// - `event`: `crash`, `startup_failure`, `update_failure`, `install_failure` or `rollback_failure`.
// - `reason`: a short identifier of the cause, such as `digest.mismatch`. Letters, digits, `.`, `_` and `-`.
// - `details`: a JSON object of at most 1 MiB that helps to find the cause, or NULL.
spindrift_status spindrift_report(const spindrift_client *client,
                                  const char *event,
                                  const char *reason,
                                  const char *details,
                                  spindrift_error **error);

// Moves the file `new_file` to the path `program`, of a program that may be running. Both must be in one file
// system. The new file gets the permissions of the old one. On Windows the old one stays beside it, with the
// extension `old`. The old program runs until it is started again.
//
// If it fails, the old program is still at its path.
spindrift_status spindrift_replace_program(const char *program,
                                           const char *new_file,
                                           spindrift_error **error);

// The version of the library, such as `0.1.0`. The text is never freed.
const char *spindrift_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SPINDRIFT_H */
