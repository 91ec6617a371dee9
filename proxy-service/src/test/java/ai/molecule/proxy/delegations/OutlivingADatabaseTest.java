package ai.molecule.proxy.delegations;

import static ai.molecule.proxy.delegations.Delegating.isLookup;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The database is away for longer than a lease, and the agent, which cannot be asked what became of a message, still works on it. */
@ExtendWith(VertxExtension.class)
class OutlivingADatabaseTest {

    private static final String METHOD_NOT_FOUND = "{\"error\":{\"code\":-32601,\"message\":\"method not found\"}}";

    private final AtomicBoolean away = new AtomicBoolean();
    private final AtomicInteger claimsAfter = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Queue<HttpServerRequest> working = new ConcurrentLinkedQueue<>();

    @Test
    void a_delegation_under_way_is_left_to_the_replica_that_hears_its_answer(Vertx vertx) {
        var work = Delegating.start(vertx, Delegating.QUICK, withAnOutage());
        var other = ProxyUnderTest.start(vertx, work.platform, work.config, withAnOutage());
        String id = work.delegate(slow(work), "t");
        await().until(() -> !working.isEmpty());

        away.set(true);
        await().until(() -> leaseIsOver(work, id));
        over.set(true);
        away.set(false);
        await().until(() -> claimsAfter.get() > 3);
        ProxyUnderTest.json(working.remove().response(), "{\"result\":\"done\"}");

        await().until(() -> !work.entry(id).path("status").asText().equals("dispatched"));
        assertThat(work.entry(id).path("status").asText()).isEqualTo("completed");
        assertThat(work.messages(id)).isEqualTo(1);
        assertThat(other.port).isNotEqualTo(work.proxy.port);
    }

    @Test
    void what_the_target_says_counts_although_another_replica_has_the_claim(Vertx vertx) {
        var work = Delegating.start(vertx);
        String id = work.delegate(slow(work), "t");
        await().until(() -> !working.isEmpty());

        work.database
                .query("UPDATE proxy.delegations SET claim = claim + 1, due_at = now() + interval '1 hour'")
                .execute()
                .await();
        ProxyUnderTest.json(
                working.remove().response(), "{\"error\":{\"code\":-32603,\"message\":\"no room on the disk\"}}");

        assertThat(work.awaitEntry(id, "failed").path("error").asText()).contains("no room on the disk");
    }

    /** An agent that answers when it is told to, and does not know what it was sent. */
    private UUID slow(Delegating work) {
        return work.peer((request, body) -> {
            if (isLookup(body)) {
                ProxyUnderTest.json(request.response(), METHOD_NOT_FOUND);
            } else {
                working.add(request);
            }
        });
    }

    private static boolean leaseIsOver(Delegating work, String id) {
        return work.database
                .preparedQuery("SELECT due_at < now() FROM proxy.delegations WHERE delegation_id = $1")
                .execute(Tuple.of(id))
                .await()
                .iterator()
                .next()
                .getBoolean(0);
    }

    /** A store that is away; its first renewal afterwards fails too, so that who would claim before renewing does. */
    private UnaryOperator<WorkStore> withAnOutage() {
        var failed = new AtomicBoolean();
        return store -> (WorkStore) Proxy.newProxyInstance(
                WorkStore.class.getClassLoader(), new Class<?>[] {WorkStore.class}, (self, method, arguments) -> {
                    boolean renews = method.getName().equals("renew");
                    if (away.get() || over.get() && renews && failed.compareAndSet(false, true)) {
                        return Future.failedFuture("away");
                    }
                    if (over.get() && method.getName().equals("claim")) {
                        claimsAfter.incrementAndGet();
                    }
                    return method.invoke(store, arguments);
                });
    }
}
