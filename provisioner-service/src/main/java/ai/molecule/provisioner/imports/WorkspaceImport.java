package ai.molecule.provisioner.imports;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.CheckWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces.Created;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.loops.InTurn;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.imports.ImportKey.Receipt;
import ai.molecule.provisioner.imports.PgImportStore.Held;
import io.vertx.core.Future;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates workspaces, gives them their files, and has them started. */
public final class WorkspaceImport {

    private static final Logger LOGGER = LoggerFactory.getLogger(WorkspaceImport.class);

    /** How many workspaces get their files at the same time. */
    private static final int WRITING = 6;

    /** The most names that an error lists. */
    private static final int NAMES_MAX = 10;

    /**
     * Imports at once; each may hold 64 MiB of files. Each keeps a connection to the database, as each of the six workspaces that are
     * reconciled at once does: together they have to leave some of the pool's ten to statements.
     */
    private static final int IMPORTS_MAX = 2;

    private final Bus bus;
    private final Backend backend;
    private final PgImportStore store;
    private final Starting starting;
    private final AtomicInteger running = new AtomicInteger();

    /** @param reconcile has the reconciler look at a workspace now */
    public WorkspaceImport(Bus bus, Backend backend, PgImportStore store, Function<UUID, Future<Void>> reconcile) {
        this.bus = bus;
        this.backend = backend;
        this.store = store;
        this.starting = new Starting(bus, reconcile);
    }

    /** Does the whole of an import, reading included; fails with UNAVAILABLE while {@value #IMPORTS_MAX} others run. */
    public <T> Future<T> admit(Supplier<Future<T>> whole) {
        if (running.incrementAndGet() > IMPORTS_MAX) {
            running.decrementAndGet();
            return Future.failedFuture(ApiError.unavailable("too many imports are running — retry shortly"));
        }
        return whole.get().eventually(() -> {
            running.decrementAndGet();
            return Future.succeededFuture();
        });
    }

    /** What the import with this key was answered, as JSON text; empty when there was none. Fails as {@link ImportKey#answerOf}. */
    public Future<Optional<String>> answered(ImportKey key) {
        return store.known(key.key()).map(known -> known.map(key::answerOf));
    }

    /** Fails as {@link #run} would before anything is created, and changes nothing. */
    public Future<Void> check(List<ImportedWorkspace> workspaces) {
        return bus.call(CheckWorkspaces.CONTRACT, new CheckWorkspaces(items(workspaces, false)))
                .mapEmpty();
    }

    /** Says after how long they sleep; what went wrong, where it did: the workspaces exist. */
    public Future<Optional<String>> setIdle(List<SetIdleMinutes.One> idle) {
        if (idle.isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        return bus.call(SetIdleMinutes.CONTRACT, new SetIdleMinutes(idle))
                .map(set -> Optional.<String>empty())
                .otherwise(failure -> {
                    LOGGER.atWarn().setCause(failure).log("the idle times of an import could not be set");
                    return Optional.of("hibernation_idle_minutes were not set");
                });
    }

    /** Roots of nobody's. */
    public Future<Optional<String>> run(List<ImportedWorkspace> workspaces, boolean start) {
        return run(workspaces, start, null);
    }

    /** @param tenant whose the roots among them are; null for nobody's */
    public Future<Optional<String>> run(List<ImportedWorkspace> workspaces, boolean start, @Nullable String tenant) {
        return run(workspaces, start, tenant, Optional.empty());
    }

    /**
     * Fails, and then nothing is created, with what {@link CreateWorkspaces} fails with; what nobody knows the outcome of is undone
     * by {@link InterruptedImports}. Otherwise all of them exist, and the result says what went wrong after that: with files that
     * could not be written nothing is started. Without a backend there is nowhere to write files to; the workspaces are created as
     * {@code POST /workspaces} would.
     *
     * @param workspaces parents before their children
     * @param tenant whose the roots among them are; null for nobody's
     * @param receipt what whoever asks again is told
     */
    public Future<Optional<String>> run(
            List<ImportedWorkspace> workspaces, boolean start, @Nullable String tenant, Optional<Receipt> receipt) {
        if (!backend.available() && receipt.isEmpty()) {
            return create(workspaces, start, tenant).map(Optional.empty());
        }
        return store.begin(OpenImport.of(workspaces, start), receipt)
                .compose(held -> (backend.available()
                                ? create(workspaces, false, tenant).compose(created -> equipAndStart(workspaces, held))
                                : create(workspaces, start, tenant).map(Optional.<String>empty()))
                        .compose(error -> held.end(error).map(error))
                        .recover(failure -> settle(held, failure).transform(settled -> Future.failedFuture(failure))));
    }

    /** A refusal leaves nothing behind. After any other failure the import stays recorded, so that it is looked at again. */
    private static Future<Void> settle(Held held, Throwable failure) {
        return failure instanceof ApiError error && error.kind().status() < 500 ? held.drop() : held.leave();
    }

    private Future<Created> create(List<ImportedWorkspace> workspaces, boolean start, @Nullable String tenant) {
        return bus.call(CreateWorkspaces.CONTRACT, new CreateWorkspaces(items(workspaces, start), null, tenant));
    }

    private Future<Optional<String>> equipAndStart(List<ImportedWorkspace> workspaces, Held held) {
        var managed = workspaces.stream()
                .filter(workspace -> !workspace.item().agent().external())
                .toList();
        return equip(managed).compose(failed -> {
            if (!failed.isEmpty()) {
                return Future.succeededFuture(
                        Optional.of("the files of %d workspaces could not be written (%s); nothing was started"
                                .formatted(
                                        failed.size(),
                                        failed.stream().limit(NAMES_MAX).collect(Collectors.joining(", ")))));
            }
            return held.equipped().compose(noted -> held.about().start() ? start(held.about()) : nothingWrong());
        });
    }

    /** The names of those whose files could not be written. */
    private Future<List<String>> equip(List<ImportedWorkspace> workspaces) {
        var failed = new ConcurrentLinkedQueue<String>();
        var left = workspaces.iterator();
        return Future.join(IntStream.range(0, WRITING)
                        .mapToObj(lane -> equipNext(left, failed))
                        .toList())
                .map(done -> List.copyOf(failed));
    }

    private Future<Void> equipNext(Iterator<ImportedWorkspace> left, ConcurrentLinkedQueue<String> failed) {
        ImportedWorkspace next;
        synchronized (left) {
            if (!left.hasNext()) {
                return Future.succeededFuture();
            }
            next = left.next();
        }
        var item = next.item();
        return equip(next)
                .otherwise(failure -> {
                    LOGGER.atWarn()
                            .addKeyValue("workspaceId", item.id())
                            .addKeyValue("reason", failure.toString())
                            .log("files of an imported workspace could not be written");
                    failed.add(item.name());
                    return null;
                })
                .compose(done -> equipNext(left, failed));
    }

    private Future<Void> equip(ImportedWorkspace workspace) {
        var id = workspace.item().id();
        var files = backend.files();
        return files.write(id, Root.CONFIGS, workspace.configs().get())
                .compose(written -> InTurn.each(
                        workspace.folders().entrySet(),
                        folder -> files.putFolder(id, Root.CONFIGS, folder.getKey(), folder.getValue())))
                .mapEmpty();
    }

    private Future<Optional<String>> start(OpenImport about) {
        return starting.resume(about.managed())
                .map(started -> Optional.<String>empty())
                .otherwise(failure -> Optional.of("not everything was started: %s"
                        .formatted(failure instanceof ApiError known ? known.publicMessage() : "internal error")));
    }

    private static List<Item> items(List<ImportedWorkspace> workspaces, boolean start) {
        return workspaces.stream()
                .map(ImportedWorkspace::item)
                .map(item -> item.starting(start))
                .toList();
    }

    private static Future<Optional<String>> nothingWrong() {
        return Future.succeededFuture(Optional.empty());
    }
}
