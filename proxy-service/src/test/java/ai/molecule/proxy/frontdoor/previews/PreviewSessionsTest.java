package ai.molecule.proxy.frontdoor.previews;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a code and a session open, and for how long. */
class PreviewSessionsTest {

    private final PreviewHost host = new PreviewHost(UUID.randomUUID(), 3000);
    private final Moved clock = new Moved();
    private final PreviewSessions sessions = new PreviewSessions(clock);

    @Test
    void a_code_counts_once() {
        String code = sessions.offer(host, "hash");

        String session = sessions.redeem(code, host).orElseThrow();
        assertThat(sessions.redeem(code, host)).isEmpty();

        assertThat(sessions.find(session, host).map(PreviewSessions.Opened::credential))
                .contains("hash");
        assertThat(sessions.find(code, host)).isEmpty();
    }

    @Test
    void a_code_is_for_one_host_and_is_used_up_by_a_try_at_another() {
        var port = new PreviewHost(host.workspaceId(), 3001);
        String code = sessions.offer(host, null);

        assertThat(sessions.redeem(code, port)).isEmpty();
        assertThat(sessions.redeem(code, host)).isEmpty();
    }

    @Test
    void a_session_is_for_one_workspace_and_one_port() {
        String session = sessions.redeem(sessions.offer(host, null), host).orElseThrow();

        assertThat(sessions.find(session, new PreviewHost(UUID.randomUUID(), 3000)))
                .isEmpty();
        assertThat(sessions.find(session, new PreviewHost(host.workspaceId(), 3001)))
                .isEmpty();
        assertThat(sessions.find(session, host)).isPresent();
    }

    @Test
    void codes_and_sessions_end() {
        String late = sessions.offer(host, null);
        String session = sessions.redeem(sessions.offer(host, null), host).orElseThrow();

        clock.now = clock.now.plus(PreviewSessions.CODE_LIFE);
        assertThat(sessions.redeem(late, host)).isEmpty();
        assertThat(sessions.find(session, host)).isPresent();
        clock.now = clock.now.plus(PreviewSessions.SESSION_LIFE);
        assertThat(sessions.find(session, host)).isEmpty();
    }

    @Test
    void beyond_the_bound_the_oldest_ends() {
        String first = sessions.offer(host, null);
        for (int more = 0; more < PreviewSessions.KEPT_MAX; more++) {
            sessions.offer(new PreviewHost(UUID.randomUUID(), 3000), null);
        }

        assertThat(sessions.redeem(first, host)).isEmpty();
    }

    @Test
    void beyond_the_bound_of_one_host_only_its_own_end() {
        var another = new PreviewHost(UUID.randomUUID(), 3000);
        String of = sessions.offer(another, null);
        String first = sessions.offer(host, null);
        for (int more = 0; more < PreviewSessions.KEPT_MAX; more++) {
            sessions.offer(host, null);
        }

        assertThat(sessions.redeem(first, host)).isEmpty();
        assertThat(sessions.redeem(of, another)).isPresent();
    }

    @Test
    void a_name_is_a_port_and_a_workspace_and_nothing_else() {
        assertThat(PreviewHost.of(host.label())).contains(host);
        for (String other : new String[] {
            "",
            "3000",
            "0--" + host.workspaceId(),
            "03000--" + host.workspaceId(),
            "65536--" + host.workspaceId(),
            "3000-" + host.workspaceId(),
            "3000--" + host.workspaceId() + "0",
            "x.3000--" + host.workspaceId()
        }) {
            assertThat(PreviewHost.of(other)).as(other).isEmpty();
        }
    }

    private static final class Moved extends Clock {
        private Instant now = Instant.EPOCH.plus(Duration.ofDays(20_000));

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }
}
