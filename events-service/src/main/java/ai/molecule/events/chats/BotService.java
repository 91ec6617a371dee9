package ai.molecule.events.chats;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules about the bot. Its token is kept by the registry, and nobody gets it back. */
record BotService(PgChatStore store, SafeDialer dialer, Bus bus, Runnable changed) {

    static final String NO_TOKEN = "secret must be the bot's token, such as 123456:ABC-DEF…";

    private static final Pattern TOKEN = Pattern.compile("(\\d{1,20}):[A-Za-z0-9_-]{20,100}");
    private static final int URL_MAX_CHARS = 2_048;

    Future<Optional<PgChatStore.Standing>> get() {
        return store.standing();
    }

    Future<Void> set(String token, String url) {
        var said = TOKEN.matcher(token);
        if (!said.matches()) {
            throw ApiError.invalid(NO_TOKEN);
        }
        if (url.length() > URL_MAX_CHARS || !url.matches("https?://[^\\s?#]+")) {
            throw ApiError.invalid("url must be an http or https URL");
        }
        return dialer.refuses(url)
                .compose(refused ->
                        refused ? Future.failedFuture(ApiError.invalid("url is not publicly routable")) : keep(token))
                .compose(kept -> store.set(url, said.group(1)))
                .onSuccess(set -> changed.run());
    }

    /** Nobody is known there any more. */
    Future<Void> delete() {
        return store.delete().compose(deleted -> keep(null));
    }

    private Future<Void> keep(@Nullable String token) {
        return bus.call(KeepSecret.CONTRACT, new KeepSecret(ChatRounds.SECRET, token))
                .mapEmpty();
    }
}
