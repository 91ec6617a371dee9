package ai.molecule.registry.secrets.stores;

import ai.molecule.common.ApiError;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.registry.secrets.stores.Reference.Kind;
import ai.molecule.registry.secrets.stores.StoreFailure.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The stores that the operator opened. A value that was read is remembered for at most {@link #AGE_MAX}, in memory alone, and many who
 * ask for it at once share one look; a failure is not remembered. To be used on one event loop.
 */
public final class SecretStores {

    /** As of any secret. */
    static final int VALUE_MAX_BYTES = 64 * 1024;

    /** How long one look may take. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration PROGRAM_PATIENCE = Duration.ofSeconds(10);
    /** Also of one that hangs where nothing else ends it, as a file of a network may. */
    private static final Duration LOOK_MAX = Duration.ofSeconds(15);

    private static final Duration AGE_MAX = Duration.ofSeconds(60);
    private static final int REMEMBERED_MAX = 1_000;
    private static final long REMEMBERED_MAX_BYTES = 8L * 1024 * 1024;

    /** Looks that go on or wait at once: beyond them one fails quickly. */
    private static final int LOOKS_MAX = 200;

    private static final int WORKERS = 4;

    private final Map<Kind, SecretStore> stores = new EnumMap<>(Kind.class);
    private final BriefCache<Reference, String> values =
            new BriefCache<>(AGE_MAX, REMEMBERED_MAX, REMEMBERED_MAX_BYTES, String::length);
    private final Vertx vertx;
    private final WorkerExecutor workers;
    private int looks;

    public SecretStores(Vertx vertx, StoreSettings settings) {
        this(vertx, settings, PATIENCE, PROGRAM_PATIENCE);
    }

    SecretStores(Vertx vertx, StoreSettings settings, Duration patience, Duration programPatience) {
        this.vertx = vertx;
        this.workers = vertx.createSharedWorkerExecutor("secret-stores", WORKERS);
        settings.vault().ifPresent(vault -> stores.put(Kind.VAULT, new VaultStore(vertx, workers, vault, patience)));
        if (!settings.folders().isEmpty()) {
            stores.put(Kind.FILE, new FileStore(settings.folders(), workers));
        }
        if (!settings.programs().isEmpty()) {
            stores.put(Kind.EXEC, new ProgramStore(settings.programs(), workers, programPatience));
        }
    }

    /** Fails with INVALID for a store that is off or a path that it does not take; reads nothing. */
    public void check(Reference reference) {
        var store = stores.get(reference.kind());
        if (store == null) {
            throw ApiError.invalid("the store %s is not configured on this platform: see docs/secrets.md"
                    .formatted(reference.kind().wire()));
        }
        store.check(reference.path());
    }

    /** The value that stands there; fails with {@link StoreFailure}. */
    public Future<String> read(Reference reference) {
        var store = stores.get(reference.kind());
        return store == null
                ? Future.failedFuture(new StoreFailure(Reason.NOT_CONFIGURED))
                : values.get(reference, asked -> look(store, asked));
    }

    /** Whoever asks from now on gets what stands there then. */
    public void forget(Reference reference) {
        values.drop(reference);
    }

    private Future<String> look(SecretStore store, Reference reference) {
        if (looks >= LOOKS_MAX) {
            return Future.failedFuture(new StoreFailure(Reason.TIMED_OUT));
        }
        looks++;
        return store.read(reference.path())
                .onComplete(done -> looks--) // and not before: what hangs goes on counting
                .timeout(LOOK_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .onSuccess(value -> vertx.setTimer(AGE_MAX.toMillis(), old -> values.drop(reference)))
                .recover(failed -> Future.failedFuture(
                        failed instanceof StoreFailure
                                ? failed
                                : new StoreFailure(
                                        failed instanceof TimeoutException ? Reason.TIMED_OUT : Reason.FAILED)));
    }

    public Future<Void> close() {
        var vault = stores.get(Kind.VAULT) instanceof VaultStore open ? open.close() : Future.<Void>succeededFuture();
        return vault.eventually(workers::close);
    }

    /** Without the end of its last line, as files and programs have one. */
    static String textOf(byte[] bytes) {
        int length = bytes.length;
        if (length > 0 && bytes[length - 1] == '\n') {
            length--;
        }
        if (length > VALUE_MAX_BYTES) {
            throw new StoreFailure(Reason.TOO_LARGE);
        }
        try {
            return checked(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Arrays.copyOf(bytes, length)))
                    .toString());
        } catch (CharacterCodingException noText) {
            throw new StoreFailure(Reason.NO_VALUE);
        }
    }

    /** As variables can hold it: a text, not empty, without a NUL. */
    static String checked(String value) {
        if (value.isEmpty()
                || value.indexOf(0) >= 0
                || !StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new StoreFailure(Reason.NO_VALUE);
        }
        if (value.getBytes(StandardCharsets.UTF_8).length > VALUE_MAX_BYTES) {
            throw new StoreFailure(Reason.TOO_LARGE);
        }
        return value;
    }
}
