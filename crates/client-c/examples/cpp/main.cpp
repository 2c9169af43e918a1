// Checks for an update: check https://updates.example

#include <iostream>
#include <memory>
#include <stdexcept>

#include "spindrift.h"

// Frees a handle when it goes out of scope.
template <auto free> struct Free {
    template <typename T> void operator()(T *handle) const { free(handle); }
};
using Client = std::unique_ptr<spindrift_client, Free<spindrift_client_free>>;
using Update = std::unique_ptr<spindrift_update, Free<spindrift_update_free>>;
using Error = std::unique_ptr<spindrift_error, Free<spindrift_error_free>>;

// Makes an exception of an error.
static void require(spindrift_status status, spindrift_error *error) {
    Error owned(error);
    if (status != SPINDRIFT_OK)
        throw std::runtime_error(spindrift_error_message(owned.get()));
}

static Client make_client(const spindrift_config &config) {
    spindrift_client *client = nullptr;
    spindrift_error *error = nullptr;
    spindrift_status status = spindrift_client_new(&config, &client, &error);
    require(status, error);
    return Client(client);
}

static Update check(const Client &client) {
    spindrift_update *update = nullptr;
    spindrift_error *error = nullptr;
    spindrift_status status = spindrift_check(client.get(), nullptr, 0, &update, &error);
    require(status, error);
    return Update(update);
}

int main(int argc, char **argv) try {
    if (argc != 2)
        throw std::invalid_argument("usage: check <service>");
    spindrift_config config{};
    config.size = sizeof config;
    config.base_url = argv[1];
    config.owner = "acme";
    config.app_name = "notes";
    config.version = "1.2.0";
    config.channel = "stable";
    config.platform = "linux";
    config.arch = "amd64";

    if (Update update = check(make_client(config)))
        std::cout << spindrift_update_version(update.get()) << " is there\n";
    else
        std::cout << "up to date\n";
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
