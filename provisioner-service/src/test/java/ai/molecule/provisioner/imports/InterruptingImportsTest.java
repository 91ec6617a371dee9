package ai.molecule.provisioner.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces.Agent;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.imports.ImportKey.Receipt;
import ai.molecule.provisioner.process.ProcessBackend;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.StandInRegistry;
import ai.molecule.provisioner.testing.Wire;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A provisioner dies in the middle of an import; the next one, or another, finishes it. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class InterruptingImportsTest {

    private static final ImportKey KEY = new ImportKey("once", "of what was asked");

    private final String database = TestStores.freshDatabase();

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private Bus bus;

    @SuppressWarnings("NullAway.Init")
    private StandInRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private Pool dying;

    @SuppressWarnings("NullAway.Init")
    private Pool next;

    private ImportedWorkspace lead = workspace("Lead", null);
    private ImportedWorkspace writer = workspace("Writer", lead.item().id());

    @BeforeEach
    void start(Vertx running) {
        vertx = running;
        bus = new Bus(vertx);
        registry = StandInRegistry.on(vertx);
        Postgres.migrate(vertx, database, "provisioner").await();
        dying = Postgres.pool(vertx, database, "provisioner");
        next = Postgres.pool(vertx, database, "provisioner");
    }

    @AfterEach
    void close() {
        dying.close().await();
        next.close().await();
    }

    @Test
    void one_without_all_its_files_is_undone() {
        begun(true);

        dying.close().await();

        assertThat(finishInterrupted()).isOne();
        assertThat(status(lead)).isEqualTo(WorkspaceStatus.REMOVED);
        assertThat(status(writer)).isEqualTo(WorkspaceStatus.REMOVED);
        assertThat(finishInterrupted()).isZero();
    }

    @Test
    void one_with_all_its_files_is_started_as_was_asked() {
        begun(true).equipped().await();

        dying.close().await();

        assertThat(finishInterrupted()).isOne();
        assertThat(status(lead)).isEqualTo(WorkspaceStatus.PROVISIONING);
        assertThat(status(writer)).isEqualTo(WorkspaceStatus.PROVISIONING);
        assertThat(registry.wishes()).hasSize(1);
    }

    @Test
    void one_that_was_to_wait_goes_on_waiting() {
        begun(false).equipped().await();

        dying.close().await();

        assertThat(finishInterrupted()).isOne();
        assertThat(status(lead)).isEqualTo(WorkspaceStatus.PAUSED);
    }

    @Test
    void one_that_goes_on_is_left_alone() {
        var going = begun(true);

        assertThat(finishInterrupted()).isZero();
        assertThat(status(lead)).isEqualTo(WorkspaceStatus.PAUSED);

        going.end(Optional.empty()).await();

        assertThat(new PgImportStore(next).list().await()).isEmpty();
    }

    @Test
    void one_that_goes_on_here_is_not_taken_up_although_its_lock_ended_with_its_connection() {
        var store = new PgImportStore(next);
        var going = store.begin(OpenImport.of(List.of(lead, writer), true), Optional.empty())
                .await();
        next.query(
                        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
                                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
                .execute()
                .await();
        await().until(() -> next.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'"
                                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
                        .execute()
                        .await()
                        .size()
                == 0);

        assertThat(store.take(going.about().id()).await()).isEmpty();

        going.leave().otherwiseEmpty().await();
        assertThat(store.take(going.about().id()).await()).isPresent();
    }

    @Test
    void what_somebody_resumed_meanwhile_is_left_to_them() {
        begun(true);
        dying.close().await();
        registry.restart(lead.item().id());

        assertThat(finishInterrupted()).isOne();

        assertThat(status(lead)).isEqualTo(WorkspaceStatus.PROVISIONING);
        assertThat(finishInterrupted()).isZero();
    }

    @Test
    void one_whose_creation_got_no_answer_is_undone_and_one_that_was_refused_leaves_nothing(@TempDir Path data) {
        var imports = new WorkspaceImport(
                bus,
                new ProcessBackend(vertx, Provisioning.settings(data), ScriptedAgents.STEADY),
                new PgImportStore(dying),
                id -> Future.succeededFuture());
        registry.wire(new Wire() {
            @Override
            public <T> Future<T> pass(Supplier<Future<T>> effect) {
                return effect.get().compose(lost -> Future.failedFuture(ApiError.platformUnavailable()));
            }
        });

        assertThatThrownBy(() -> imports.run(List.of(lead, writer), true).await())
                .hasMessageContaining("unavailable");
        registry.wire(Wire.WHOLE);
        assertThat(status(lead)).isEqualTo(WorkspaceStatus.PAUSED);
        assertThat(finishInterrupted()).isOne();
        assertThat(status(writer)).isEqualTo(WorkspaceStatus.REMOVED);

        assertThatThrownBy(() ->
                        imports.run(List.of(workspace("a\nb", null)), true).await())
                .hasMessageContaining("newline");
        assertThat(new PgImportStore(next).list().await()).isEmpty();
    }

    @Test
    void one_that_cannot_be_finished_holds_up_no_other() {
        begun(true);
        var first = lead;
        lead = workspace("Other lead", null);
        writer = workspace("Other writer", lead.item().id());
        begun(true);
        dying.close().await();
        var refused = new AtomicBoolean();
        registry.wire(new Wire() {
            @Override
            public <T> Future<T> pass(Supplier<Future<T>> effect) {
                return refused.compareAndSet(false, true)
                        ? Future.failedFuture(ApiError.internal("internal error"))
                        : effect.get();
            }
        });

        assertThatThrownBy(this::finishInterrupted).hasMessageContaining("internal error");

        assertThat(status(lead)).isEqualTo(WorkspaceStatus.REMOVED);
        assertThat(status(first)).isEqualTo(WorkspaceStatus.PAUSED);
        assertThat(finishInterrupted()).isOne();
        assertThat(status(first)).isEqualTo(WorkspaceStatus.REMOVED);
    }

    @Test
    void whoever_asks_again_is_told_what_became_of_it() {
        var going = asked(true);
        assertThatThrownBy(() -> again().await()).hasMessageContaining("under way");
        assertThatThrownBy(() -> asked(true)).hasMessageContaining("under way");

        going.end(Optional.of("one file could not be written")).await();

        assertThat(again().await())
                .hasValueSatisfying(answer -> assertThat(answer).contains("\"count\": 2", "could not be written"));
        var another = new ImportKey(KEY.key(), "of something else");
        assertThatThrownBy(() -> imports().answered(another).await()).hasMessageContaining("another import");
    }

    @Test
    void one_that_was_undone_is_as_if_it_had_never_been_asked_for_and_one_completed_is_answered() {
        asked(true);
        dying.close().await();
        finishInterrupted();
        assertThat(again().await()).isEmpty();

        dying = Postgres.pool(vertx, database, "provisioner");
        lead = workspace("Lead", null);
        writer = workspace("Writer", lead.item().id());
        asked(true).equipped().await();
        dying.close().await();
        assertThatThrownBy(() -> again().await()).hasMessageContaining("under way");
        finishInterrupted();
        assertThat(again().await()).contains("{\"count\": 2}");
    }

    private Future<Optional<String>> again() {
        return imports().answered(KEY);
    }

    private WorkspaceImport imports() {
        return new WorkspaceImport(bus, new NoBackend(), new PgImportStore(next), id -> Future.succeededFuture());
    }

    private PgImportStore.Held begun(boolean start) {
        return begun(start, Optional.empty());
    }

    private PgImportStore.Held asked(boolean start) {
        return begun(start, Optional.of(new Receipt(KEY, "{\"count\":2}")));
    }

    private PgImportStore.Held begun(boolean start, Optional<Receipt> receipt) {
        var held = new PgImportStore(dying)
                .begin(OpenImport.of(List.of(lead, writer), start), receipt)
                .await();
        bus.call(CreateWorkspaces.CONTRACT, new CreateWorkspaces(List.of(lead.item(), writer.item())))
                .await();
        return held;
    }

    private int finishInterrupted() {
        return new InterruptedImports(new PgImportStore(next), bus, id -> Future.succeededFuture())
                .run()
                .await();
    }

    private WorkspaceStatus status(ImportedWorkspace workspace) {
        return registry.get(workspace.item().id()).status();
    }

    private static ImportedWorkspace workspace(String name, @Nullable UUID parentId) {
        var item = new Item(
                UUID.randomUUID(),
                parentId,
                name,
                null,
                Agent.managed("echo", null, 1),
                0,
                0,
                List.of(),
                Map.of(),
                null,
                false);
        return new ImportedWorkspace(item, Map::of, Map.of());
    }
}
