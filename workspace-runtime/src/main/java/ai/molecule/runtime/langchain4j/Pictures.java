package ai.molecule.runtime.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.UserMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Shows a model the pictures that came with a message, beside the line below its words that names each. They are read anew for every turn, so a
 * conversation keeps their names alone and goes on with them after a restart. At most {@value #PICTURES_MAX}, the last ones, of
 * {@value #PICTURE_MAX_BYTES} bytes, from the workspace's folder and nowhere else. A model that refuses them is shown none for a while.
 */
final class Pictures {

    static final int PICTURES_MAX = 4;
    static final int PICTURE_MAX_BYTES = 2 << 20;
    static final Duration NONE_FOR = Duration.ofMinutes(10);

    /** As a message's files are told, of the kinds that models know. */
    private static final Pattern NAMED = Pattern.compile("(?m)^- .* \\((image/(?:png|jpeg|gif|webp))\\) at (.+)$");

    private final Path folder;
    private final Clock clock;
    private volatile Instant noneUntil = Instant.MIN;

    /** @param folder what the lines' paths begin in */
    Pictures(Path folder, Clock clock) {
        this.folder = folder;
        this.clock = clock;
    }

    /** The same messages, those that name pictures with them. */
    List<ChatMessage> shownIn(List<ChatMessage> messages) {
        if (clock.instant().isBefore(noneUntil)) {
            return messages;
        }
        List<ChatMessage> shown = new ArrayList<>(messages);
        int left = PICTURES_MAX;
        for (int i = shown.size() - 1; i >= 0 && left > 0; i--) {
            if (shown.get(i) instanceof UserMessage message && message.hasSingleText()) {
                List<Content> seen = pictures(message.singleText(), left);
                left -= seen.size();
                if (!seen.isEmpty()) {
                    seen.addFirst(TextContent.from(message.singleText()));
                    shown.set(i, UserMessage.from(seen));
                }
            }
        }
        return shown;
    }

    /** The model takes none: whether it makes a difference to ask again. */
    boolean refused(List<ChatMessage> messages) {
        boolean shown = shownIn(messages).stream().anyMatch(Pictures::hasPicture);
        if (shown) {
            noneUntil = clock.instant().plus(NONE_FOR);
        }
        return shown;
    }

    private static boolean hasPicture(ChatMessage message) {
        return message instanceof UserMessage said && said.contents().stream().anyMatch(ImageContent.class::isInstance);
    }

    private List<Content> pictures(String text, int max) {
        List<Content> found = new ArrayList<>();
        for (MatchResult named : NAMED.matcher(text).results().toList()) {
            if (found.size() < max) {
                read(named.group(2))
                        .map(bytes -> ImageContent.from(Base64.getEncoder().encodeToString(bytes), named.group(1)))
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    private Optional<byte[]> read(String name) {
        try {
            Path real = folder.toRealPath();
            Path file = real.resolve(name).toRealPath();
            if (!file.startsWith(real) || !Files.isRegularFile(file)) {
                return Optional.empty();
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(PICTURE_MAX_BYTES + 1);
                return bytes.length > PICTURE_MAX_BYTES ? Optional.empty() : Optional.of(bytes);
            }
        } catch (IOException | IllegalArgumentException gone) {
            return Optional.empty(); // the words still name it
        }
    }
}
