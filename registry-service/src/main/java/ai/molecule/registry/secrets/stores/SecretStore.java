package ai.molecule.registry.secrets.stores;

import io.vertx.core.Future;

/** A store outside the platform. To be used on one event loop. */
interface SecretStore {

    /** Fails with INVALID and a sentence where {@code path} cannot be one of this store; reads nothing. */
    void check(String path);

    /**
     * The value, 1 to {@link SecretStores#VALUE_MAX_BYTES} bytes of UTF-8, within {@link SecretStores#PATIENCE}.
     *
     * @param path one that {@link #check} let pass, perhaps under other settings
     * @return fails with {@link StoreFailure}
     */
    Future<String> read(String path);
}
