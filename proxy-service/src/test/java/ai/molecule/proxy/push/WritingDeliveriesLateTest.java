package ai.molecule.proxy.push;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A receiver takes a notification, and for a moment the database takes nothing. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class WritingDeliveriesLateTest {

    private static final String REFUSE = """
            CREATE SEQUENCE public.tries;
            CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                $$ BEGIN PERFORM nextval('public.tries'); RAISE EXCEPTION 'away'; END $$;
            CREATE TRIGGER refuse BEFORE DELETE ON proxy.push_notifications FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()
            """;

    @Test
    void what_was_taken_is_written_down_later_and_not_told_once_more(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, HastyPush::of, "MOLECULE_ENV", "development");
        var database = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
        var state = new AtomicReference<>("working");
        var agent = ProxyUnderTest.serve(
                vertx,
                request -> request.body()
                        .onSuccess(body -> json(
                                request.response(),
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t\",\"status\":{\"state\":\""
                                        + state.get() + "\"}}}")));
        var first = new CompletableFuture<HttpServerRequest>();
        var told = Told.answering(vertx, (request, n) -> {
            if (n == 1) {
                first.complete(request);
            } else {
                request.response().end();
            }
        });
        proxy.post(
                "/workspaces/" + proxy.platform.workspaceAt(urlOf(agent)) + "/a2a",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/pushNotificationConfig/set\",\"params\":{\"taskId\":\"t\","
                        + "\"pushNotificationConfig\":{\"url\":\"" + told.url() + "\"}}}");
        await().until(first::isDone);

        database.query(REFUSE).execute().await();
        first.join().response().end();
        await().until(() -> database.query("SELECT 1 FROM public.tries WHERE last_value > 1")
                        .execute()
                        .await()
                        .size()
                == 1);
        database.query("DROP TRIGGER refuse ON proxy.push_notifications")
                .execute()
                .await();
        state.set("completed");

        told.awaitStates("working", "completed");
        assertThat(told.states()).containsExactly("working", "completed");
    }
}
