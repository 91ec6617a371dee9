package ai.molecule.events;

import static ai.molecule.common.auth.Guard.ADMIN;
import static ai.molecule.common.auth.Guard.ADMITTED;
import static ai.molecule.common.auth.Guard.HANDLER;
import static ai.molecule.common.auth.Guard.LISTING;
import static ai.molecule.common.auth.Guard.LOOKING;
import static ai.molecule.common.auth.Guard.OPEN;
import static ai.molecule.common.auth.Guard.RESULTS;
import static ai.molecule.common.auth.Guard.WORKSPACE;
import static ai.molecule.common.auth.Reach.CALLER;
import static ai.molecule.common.auth.Reach.NOTHING;
import static ai.molecule.common.auth.Reach.ONE_WORKSPACE;
import static ai.molecule.common.auth.Reach.ORGANISATION;
import static ai.molecule.common.http.RoutePage.LARGE_BODY_MAX_BYTES;
import static io.vertx.core.http.HttpMethod.POST;

import ai.molecule.common.http.RoutePage;
import ai.molecule.events.activity.ActivityRoutes;
import ai.molecule.events.audit.AuditRoutes;
import ai.molecule.events.chats.BotRoutes;
import ai.molecule.events.history.HistoryRoutes;
import ai.molecule.events.inbox.InboxRoutes;
import ai.molecule.events.log.LogRoutes;
import ai.molecule.events.notifications.NotificationRoutes;
import ai.molecule.events.notify.NotifyRoutes;
import ai.molecule.events.pages.PageRoutes;
import ai.molecule.events.search.SessionSearchRoutes;
import ai.molecule.events.sockets.SocketRoutes;
import ai.molecule.events.streams.StreamRoutes;

/** Every route of events-service with its guard. */
final class EventsRouter {

    private EventsRouter() {}

    static RoutePage fill(
            RoutePage page,
            SocketRoutes sockets,
            LogRoutes log,
            HistoryRoutes history,
            AuditRoutes audit,
            InboxRoutes inbox,
            NotificationRoutes told,
            BotRoutes bot,
            StreamRoutes streams,
            ActivityRoutes activity,
            NotifyRoutes notifications,
            SessionSearchRoutes search,
            PageRoutes pages) {
        return page.get("/", OPEN, pages::index)
                .get("/ui", OPEN, pages::index)
                .get("/ui/:file", OPEN, pages::file)
                .get("/ws", HANDLER, sockets::connect)
                .post("/ws/ticket", LOOKING, CALLER, sockets::ticket)
                .get("/events", LISTING, log::all)
                .get("/events/:workspaceId", LISTING, log::ofWorkspace)
                .get("/org", LISTING, history::at)
                .get("/audit", LISTING, audit::list)
                .get("/workspaces/:id/audit", WORKSPACE, audit::ofWorkspace)
                .post("/workspaces/:id/audit", WORKSPACE, NOTHING, audit::write)
                .get("/inbox", LISTING, inbox::list)
                .delete("/inbox/:id", LISTING, ONE_WORKSPACE, inbox::dismiss)
                .get("/notifications/targets", ADMIN, told::list)
                .post("/notifications/targets", ADMIN, ORGANISATION, told::create)
                .patch("/notifications/targets/:id", ADMIN, ORGANISATION, told::change)
                .delete("/notifications/targets/:id", ADMIN, ORGANISATION, told::delete)
                .post("/notifications/targets/:id/test", ADMIN, ORGANISATION, told::test)
                .get("/notifications/telegram", ADMIN, bot::show)
                .put("/notifications/telegram", ADMIN, ORGANISATION, bot::set)
                .delete("/notifications/telegram", ADMIN, ORGANISATION, bot::delete)
                .get("/workspaces/:id/events/stream", WORKSPACE, streams::stream)
                .get("/workspaces/:id/activity", WORKSPACE, activity::list)
                .route(POST, "/workspaces/:id/activity", RESULTS, ONE_WORKSPACE, LARGE_BODY_MAX_BYTES, activity::report)
                .route(
                        POST,
                        "/workspaces/:id/notify",
                        ADMITTED,
                        ONE_WORKSPACE,
                        LARGE_BODY_MAX_BYTES,
                        notifications::send)
                .get("/workspaces/:id/session-search", WORKSPACE, search::find);
    }
}
