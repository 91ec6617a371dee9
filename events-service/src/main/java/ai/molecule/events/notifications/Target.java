package ai.molecule.events.notifications;

import ai.molecule.common.json.Json;
import ai.molecule.common.net.HttpTarget;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Instant;
import java.time.LocalTime;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who is told of what waits.
 *
 * @param who a person or a role, in the administrator's words
 * @param url of the receiver, of the mail server for mails; empty where it is the secret
 * @param mail null unless it is told by mail
 * @param kinds of the inbox; null for all
 * @param deputy who is told in its place until {@code deputyUntil}
 */
record Target(
        UUID id,
        String name,
        String who,
        Channel channel,
        String url,
        @Nullable Mail mail,
        @Nullable List<String> kinds,
        DayTimes times,
        @Nullable UUID deputy,
        @Nullable Instant deputyUntil,
        boolean enabled) {

    /**
     * @param user null where the server asks for none
     * @param plain whether it is spoken to without TLS
     */
    record Mail(String from, String to, @Nullable String user, boolean plain) {}

    /**
     * How it goes with a target.
     *
     * @param waiting notifications that it has not taken yet
     * @param failingSince null while it takes what it is told
     */
    record Standing(
            int waiting,
            @Nullable Instant deliveredAt,
            @Nullable Instant failingSince,
            @Nullable String lastError) {}

    /**
     * Where a secret goes; the same for all whose secret is their address, or the platform's.
     *
     * @param scheme of a mail server
     */
    private record Server(String scheme, String host, int port, boolean tls) {

        private static final Server NONE = new Server("", "", 0, true);

        static Server of(Target target) {
            var mail = target.mail;
            if (mail != null) {
                var uri = URI.create(target.url);
                return new Server(uri.getScheme(), lower(uri.getHost()), uri.getPort(), !mail.plain);
            }
            return HttpTarget.of(target.url)
                    .map(url -> new Server("", lower(url.host()), url.port(), url.https()))
                    .orElse(NONE);
        }

        private static String lower(String host) {
            return host.toLowerCase(Locale.ROOT);
        }
    }

    /** Whether a secret that was given for {@code before} would go to another server, or there without TLS. */
    boolean isElsewhere(Target before) {
        var now = Server.of(this);
        var then = Server.of(before);
        return !now.host.equals(then.host)
                || now.port != then.port
                || !now.scheme.equals(then.scheme)
                || (then.tls && !now.tls);
    }

    /** Where its secret is kept. */
    static String secretOf(UUID id) {
        return "notifications/" + id;
    }

    /** Whoever is to be told in its place now; null for itself. */
    @Nullable
    UUID standIn(Instant now) {
        return deputy != null && deputyUntil != null && now.isBefore(deputyUntil) ? deputy : null;
    }

    /** Without its secret. */
    ObjectNode toJson(Standing standing) {
        var body = Json.object()
                .put("id", id.toString())
                .put("name", name)
                .put("who", who)
                .put("channel", channel.wire())
                .put("url", url);
        if (mail != null) {
            body.put("from", mail.from)
                    .put("to", mail.to)
                    .put("user", mail.user)
                    .put("plain", mail.plain);
        }
        if (kinds == null) {
            body.putNull("kinds");
        } else {
            var names = body.putArray("kinds");
            kinds.forEach(names::add);
        }
        return body.put("quiet_from", text(times.quietFrom()))
                .put("quiet_to", text(times.quietTo()))
                .put("digest_at", text(times.digestAt()))
                .put("zone", times.zone().getId())
                .put("deputy", deputy == null ? null : deputy.toString())
                .put("deputy_until", Json.timeOrNull(deputyUntil))
                .put("enabled", enabled)
                .put("waiting", standing.waiting)
                .put("delivered_at", Json.timeOrNull(standing.deliveredAt))
                .put("failing_since", Json.timeOrNull(standing.failingSince))
                .put("last_error", standing.lastError);
    }

    private static @Nullable String text(@Nullable LocalTime time) {
        return time == null ? null : time.toString();
    }
}
