package ai.molecule.registry.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.registry.liveness.SilentOrganisation;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of removed workspaces and decided approvals in the end. The clock is the test's. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class PurgingTheLongRemovedTest {

    private SilentOrganisation org;
    private Bus bus;
    private final List<UUID> purged = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open(Vertx vertx) {
        org = new SilentOrganisation(vertx);
        bus = new Bus(vertx);
        bus.listen(WorkspacesPurged.HINT, hint -> purged.addAll(hint.workspaceIds()));
    }

    @AfterEach
    void close() {
        org.service.close().await();
    }

    @Test
    void removed_workspaces_are_purged_with_their_branch_after_thirty_days_and_the_living_stay() {
        var living = org.workspace("online", "echo", null);
        var top = removed(null);
        var below = removed(removed(top));
        org.sql(
                "INSERT INTO memories (id, workspace_id, scope, namespace, content, created_at)"
                        + " SELECT gen_random_uuid(), $1, 'LOCAL', 'general', 'it knew', now()",
                below);
        org.advance(Duration.ofDays(29));
        var later = removed(null);

        assertThat(retention(30).run().await()).isEqualTo("purged 0 workspaces and 0 approvals");
        org.advance(Duration.ofDays(2));
        assertThat(retention(0).run().await()).isEqualTo("purged 0 workspaces and 0 approvals");
        assertThat(retention(30).run().await()).isEqualTo("purged 3 workspaces and 0 approvals");

        assertThat(ids("workspaces")).containsExactlyInAnyOrder(living, later);
        assertThat(ids("memories")).isEmpty();
        await().until(() -> purged.size() == 3);
        assertThat(purged).contains(top, below).doesNotContain(living, later);
    }

    @Test
    void approvals_stay_400_days_after_they_were_decided_and_so_does_the_removed_workspace_they_are_of() {
        var living = org.workspace("online", "echo", null);
        var gone = removed(null);
        var pending = approval(living, "pending");
        var decided = approval(living, "approved");
        var ofGone = approval(gone, "denied");

        org.advance(Duration.ofDays(399));
        assertThat(retention(30).run().await()).isEqualTo("purged 0 workspaces and 0 approvals");
        assertThat(ids("approvals")).containsExactlyInAnyOrder(pending, decided, ofGone);

        org.advance(Duration.ofDays(2));
        assertThat(retention(30).run().await()).isEqualTo("purged 1 workspaces and 2 approvals");
        assertThat(ids("approvals")).containsExactly(pending);
        assertThat(ids("workspaces")).containsExactly(living);
    }

    private Retention retention(int removed) {
        return new Retention(
                new PgRetentionStore(org.service.database()),
                new Announcements(bus, org.service.redis(), Duration.ofSeconds(60)),
                org.clock,
                new RetentionDays(removed, 400));
    }

    private UUID removed(@Nullable UUID parent) {
        var id = org.workspace("removed", "echo", null);
        org.sql("UPDATE workspaces SET desired = 'removed' WHERE id = $1", id);
        if (parent != null) {
            org.sql("UPDATE workspaces SET parent_id = $2 WHERE id = $1", id, parent);
        }
        return id;
    }

    private UUID approval(UUID workspace, String status) {
        var id = UUID.randomUUID();
        var now = org.clock.instant().atOffset(ZoneOffset.UTC);
        org.sql(
                "INSERT INTO approvals (id, workspace_id, task_id, action, reason, status, created_at, expires_at, decided_at)"
                        + " VALUES ($1, $2, '', 'do', 'so', $3::text, $4, $4, CASE WHEN $3::text <> 'pending' THEN $4 END)",
                id,
                workspace,
                status,
                now);
        return id;
    }

    private List<UUID> ids(String table) {
        return org.sql("SELECT id FROM " + table).stream()
                .map(row -> row.getUUID(0))
                .toList();
    }
}
