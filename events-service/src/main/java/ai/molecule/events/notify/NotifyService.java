package ai.molecule.events.notify;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.events.activity.ActivityQuota;
import ai.molecule.events.activity.ActivityService;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows an agent's message to whoever watches, and keeps it for those who come later. */
public record NotifyService(OrgChartCache charts, ActivityService activity, ActivityQuota quota, Bus bus, Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(NotifyService.class);

    /**
     * Fails with NOT_FOUND for a workspace that is unknown or removed, and as {@link ActivityQuota#admit}. A message that cannot be kept is
     * shown all the same.
     */
    Future<Void> send(UUID workspaceId, Notification notification) {
        return present(workspaceId)
                .compose(known -> quota.admit(workspaceId).map(known))
                .compose(sender -> {
                    show(sender, notification);
                    return activity.append(row(workspaceId, notification)).recover(lost -> {
                        LOGGER.atWarn()
                                .setCause(lost)
                                .addKeyValue("workspaceId", workspaceId)
                                .log("agent message shown but not kept");
                        return Future.succeededFuture();
                    });
                });
    }

    private Future<Entry> present(UUID workspaceId) {
        return charts.find(workspaceId)
                .map(found -> found.filter(entry -> entry.status() != WorkspaceStatus.REMOVED)
                        .orElseThrow(() -> ApiError.notFound("workspace not found")));
    }

    private void show(Entry sender, Notification notification) {
        var payload = Json.object()
                .put("message", notification.message())
                .put("workspace_id", sender.id().toString())
                .put("name", sender.name());
        if (!notification.attachments().isEmpty()) {
            payload.set("attachments", notification.attachmentsJson());
        }
        new LiveEvent("AGENT_MESSAGE", sender.id(), clock.instant(), payload).publishOn(bus);
    }

    private ActivityRow row(UUID workspaceId, Notification notification) {
        return new ActivityRow(
                UUID.randomUUID(),
                workspaceId,
                "a2a_receive",
                null,
                null,
                "notify",
                notification.summary(),
                null,
                Json.text(notification.toResponseBody()),
                null,
                null,
                "ok",
                null,
                null,
                null,
                clock.instant(),
                false);
    }
}
