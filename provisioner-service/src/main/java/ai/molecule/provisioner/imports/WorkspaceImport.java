package ai.molecule.provisioner.imports;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates workspaces, gives them their files, and has them started. */
public final class WorkspaceImport {

    private static final Logger LOGGER = LoggerFactory.getLogger(WorkspaceImport.class);

    /** So many workspaces get their files at once. */
    private static final int WRITING = 6;

    /** So many names an error tells. */
    private static final int NAMES_MAX = 10;

    private final Bus bus;
    private final Backend backend;
    private final Function<UUID, Future<Void>> reconcile;

    /** @param reconcile has the reconciler look at a workspace now */
    public WorkspaceImport(Bus bus, Backend backend, Function<UUID, Future<Void>> reconcile) {
        this.bus = bus;
        this.backend = backend;
        this.reconcile = reconcile;
    }

    /**
     * Fails, and then nothing is created, with what {@link CreateWorkspaces} fails with. Otherwise all of them exist, and the
     * result says what went wrong after that: with files that could not be written nothing is started. Without a backend there is
     * nowhere to write files to; the workspaces are created as {@code POST /workspaces} would.
     *
     * @param workspaces parents before their children
     */
    public Future<Optional<String>> run(List<ImportedWorkspace> workspaces, boolean start) {
        boolean atOnce = start && !backend.available();
        return bus.call(CreateWorkspaces.CONTRACT, new CreateWorkspaces(items(workspaces, atOnce)))
                .compose(created -> backend.available() ? equipAndStart(workspaces, start) : nothingWrong());
    }

    private Future<Optional<String>> equipAndStart(List<ImportedWorkspace> workspaces, boolean start) {
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
            return start ? start(workspaces) : nothingWrong();
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
        Future<Void> written = files.write(id, Root.CONFIGS, workspace.configs().get());
        for (var folder : workspace.folders().entrySet()) {
            written = written.compose(before -> files.putFolder(id, Root.CONFIGS, folder.getKey(), folder.getValue()));
        }
        return written;
    }

    /** A resume takes along all that is paused below: only the topmost are asked for. */
    private Future<Optional<String>> start(List<ImportedWorkspace> workspaces) {
        Set<UUID> covered = new HashSet<>();
        List<UUID> tops = new ArrayList<>();
        for (var workspace : workspaces) {
            var item = workspace.item();
            boolean below = item.parentId() != null && covered.contains(item.parentId());
            if (!below && !item.agent().external()) {
                tops.add(item.id());
            }
            if (below || !item.agent().external()) {
                covered.add(item.id());
            }
        }
        return Future.join(tops.stream().map(this::resume).toList())
                .map(started -> Optional.<String>empty())
                .otherwise(failure -> Optional.of("not everything was started: %s"
                        .formatted(failure instanceof ApiError known ? known.publicMessage() : "internal error")));
    }

    private Future<Void> resume(UUID top) {
        return bus.call(SetDesired.CONTRACT, new SetDesired(top, SetDesired.Action.RESUME, null, null))
                .onSuccess(done ->
                        Future.join(done.changed().stream().map(reconcile).toList()))
                .mapEmpty();
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
