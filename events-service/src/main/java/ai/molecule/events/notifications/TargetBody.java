package ai.molecule.events.notifications;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.net.HttpTarget;
import ai.molecule.events.inbox.InboxKinds;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a request says of a target, checked; what it does not say is as it was, or as it is for a new one.
 *
 * @param secret null where nothing was said: it stays
 */
record TargetBody(Target target, @Nullable String secret) {

    static final String COMPLAINT = "invalid notification target";

    private static final int NAME_MAX_CHARS = 100;
    private static final int URL_MAX_CHARS = 2_048;
    private static final int SECRET_MAX_CHARS = 2_048;
    private static final int SIGNING_MIN_CHARS = 16;
    private static final Pattern ADDRESS =
            Pattern.compile("[^\\s@<>,;\"\\p{Cntrl}]{1,64}@[^\\s@<>,;\"\\p{Cntrl}]{1,255}");
    private static final Pattern TIME = Pattern.compile("([01][0-9]|2[0-3]):[0-5][0-9]");

    /** @param old null for a new one */
    static TargetBody of(JsonBody body, UUID id, @Nullable Target old) {
        String name = line(body, "name", old == null ? null : old.name());
        String who = line(body, "who", old == null ? null : old.who());
        var channel = old == null ? channel(body) : old.channel();
        if (old != null && body.has("channel") && !old.channel().wire().equals(body.text("channel"))) {
            throw ApiError.invalid("channel cannot be changed");
        }
        String secret = secret(body, channel, old == null);
        var zone = zone(body, old);
        var times = new DayTimes(
                time(body, "quiet_from", old == null ? null : old.times().quietFrom()),
                time(body, "quiet_to", old == null ? null : old.times().quietTo()),
                time(body, "digest_at", old == null ? null : old.times().digestAt()),
                zone);
        if ((times.quietFrom() == null) != (times.quietTo() == null)
                || times.quietFrom() != null && times.quietFrom().equals(times.quietTo())) {
            throw ApiError.invalid("quiet_from and quiet_to go together and differ");
        }
        var deputy = deputy(body, old);
        var until = until(body, old);
        if ((deputy == null) != (until == null)) {
            throw ApiError.invalid("deputy and deputy_until go together");
        }
        if (id.equals(deputy)) {
            throw ApiError.invalid("deputy must be another target");
        }
        return new TargetBody(
                new Target(
                        id,
                        name,
                        who,
                        channel,
                        url(body, channel, old),
                        channel == Channel.EMAIL ? mail(body, old == null ? null : old.mail()) : null,
                        kinds(body, old),
                        times,
                        deputy,
                        until,
                        body.flag("enabled", old == null || old.enabled())),
                secret);
    }

    private static String line(JsonBody body, String member, @Nullable String old) {
        String said = body.text(member, old == null ? "" : old).strip();
        if (said.isEmpty() || said.length() > NAME_MAX_CHARS || said.chars().anyMatch(Character::isISOControl)) {
            throw ApiError.invalid("%s must be 1 to %d characters".formatted(member, NAME_MAX_CHARS));
        }
        return said;
    }

    private static Channel channel(JsonBody body) {
        return Channel.find(body.text("channel", ""))
                .filter(channel -> channel != Channel.TELEGRAM) // whom it tells links itself
                .orElseThrow(() -> ApiError.invalid("channel must be webhook, slack, ntfy or email"));
    }

    private static @Nullable String secret(JsonBody body, Channel channel, boolean fresh) {
        String said = body.text("secret");
        if (said != null && (said.length() > SECRET_MAX_CHARS || said.chars().anyMatch(Character::isISOControl))) {
            throw ApiError.invalid("secret must be at most %d characters of one line".formatted(SECRET_MAX_CHARS));
        }
        if (said == null && !fresh) {
            return null;
        }
        String value = said == null ? "" : said;
        if (channel == Channel.TELEGRAM) {
            throw ApiError.invalid("secret of telegram is the bot's: /notifications/telegram");
        }
        if (channel == Channel.WEBHOOK && value.length() < SIGNING_MIN_CHARS) {
            throw ApiError.invalid("secret must be at least %d characters: it signs".formatted(SIGNING_MIN_CHARS));
        }
        if (channel == Channel.SLACK && HttpTarget.of(value).isEmpty()) {
            throw ApiError.invalid("secret must be the URL of the incoming webhook");
        }
        return value;
    }

    private static String url(JsonBody body, Channel channel, @Nullable Target old) {
        String said = body.text("url", old == null ? "" : old.url());
        if (said.length() > URL_MAX_CHARS) {
            throw ApiError.invalid("url must be at most %d characters".formatted(URL_MAX_CHARS));
        }
        switch (channel) {
            case SLACK -> {
                if (!said.isEmpty()) {
                    throw ApiError.invalid("url of slack goes into secret");
                }
            }
            case WEBHOOK -> {
                if (HttpTarget.of(said).isEmpty()) {
                    throw ApiError.invalid("url must be an http or https URL");
                }
            }
            case NTFY -> {
                if (HttpTarget.of(said).isEmpty() || !said.matches("[^?#]+/[-_A-Za-z0-9]{1,64}")) {
                    throw ApiError.invalid("url must be an http or https URL that ends with a topic");
                }
            }
            case EMAIL -> requireMailServer(said);
            case TELEGRAM -> {
                if (old == null || !said.equals(old.url())) {
                    throw ApiError.invalid("url of telegram cannot be changed");
                }
            }
        }
        return said;
    }

    private static void requireMailServer(String url) {
        try {
            var uri = new URI(url);
            boolean known = "smtp".equals(uri.getScheme()) || "smtps".equals(uri.getScheme());
            if (known
                    && uri.getHost() != null
                    && uri.getPort() > 0
                    && uri.getPort() < 65_536
                    && uri.getRawUserInfo() == null) {
                return;
            }
        } catch (URISyntaxException malformed) {
            // the same answer
        }
        throw ApiError.invalid("url must be smtp://host:port or smtps://host:port");
    }

    private static Target.Mail mail(JsonBody body, Target.@Nullable Mail old) {
        String from = body.text("from", old == null ? "" : old.from());
        String to = body.text("to", old == null ? "" : old.to());
        if (!ADDRESS.matcher(from).matches() || !ADDRESS.matcher(to).matches()) {
            throw ApiError.invalid("from and to must be addresses of mail");
        }
        String user = body.has("user") ? body.text("user") : old == null ? null : old.user();
        if (user != null
                && (user.isEmpty() || user.length() > 320 || user.chars().anyMatch(Character::isISOControl))) {
            throw ApiError.invalid("user must be 1 to 320 characters");
        }
        return new Target.Mail(from, to, user, body.flag("plain", old != null && old.plain()));
    }

    private static @Nullable List<String> kinds(JsonBody body, @Nullable Target old) {
        if (!body.has("kinds")) {
            return old == null ? null : old.kinds();
        }
        var said = body.node("kinds");
        if (said == null) {
            return null;
        }
        var kinds = said.valueStream().map(JsonNode::asText).distinct().toList();
        if (!said.isArray() || !InboxKinds.ALL.containsAll(kinds)) {
            throw ApiError.invalid("kinds must be null or kinds of the inbox: " + String.join(", ", InboxKinds.ALL));
        }
        return kinds;
    }

    private static @Nullable LocalTime time(JsonBody body, String member, @Nullable LocalTime old) {
        if (!body.has(member)) {
            return old;
        }
        String said = body.text(member);
        if (said == null) {
            return null;
        }
        if (!TIME.matcher(said).matches()) {
            throw ApiError.invalid(member + " must be a time of day such as 22:00");
        }
        return LocalTime.parse(said);
    }

    private static ZoneId zone(JsonBody body, @Nullable Target old) {
        String said = body.text("zone", old == null ? "UTC" : old.times().zone().getId());
        try {
            return ZoneId.of(said);
        } catch (DateTimeException unknown) {
            throw ApiError.invalid("zone must be the name of a time zone such as Europe/Berlin");
        }
    }

    private static @Nullable UUID deputy(JsonBody body, @Nullable Target old) {
        if (!body.has("deputy")) {
            return old == null ? null : old.deputy();
        }
        String said = body.text("deputy");
        return said == null
                ? null
                : Ids.find(said).orElseThrow(() -> ApiError.invalid("deputy must be the id of a target"));
    }

    private static @Nullable Instant until(JsonBody body, @Nullable Target old) {
        if (!body.has("deputy_until")) {
            return old == null ? null : old.deputyUntil();
        }
        String said = body.text("deputy_until");
        try {
            return said == null ? null : OffsetDateTime.parse(said).toInstant();
        } catch (DateTimeException noTime) {
            throw ApiError.invalid("deputy_until must be a time (RFC 3339)");
        }
    }
}
