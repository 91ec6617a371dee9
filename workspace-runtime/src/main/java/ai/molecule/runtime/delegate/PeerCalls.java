package ai.molecule.runtime.delegate;

import ai.molecule.runtime.tools.PeerActivity;
import ai.molecule.sdk.A2aAnswer;
import ai.molecule.sdk.A2aException;
import ai.molecule.sdk.Peer;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Calls peers by their names, through the platform, and puts whatever comes of it into words. */
final class PeerCalls {

    private final WorkspaceClient self;
    private final Duration timeout;

    PeerCalls(WorkspaceClient self, Duration timeout) {
        this.self = self;
        this.timeout = timeout;
    }

    /** @throws PlatformException when the platform does not say who the peers are */
    List<Peer> peers() {
        return self.peers();
    }

    /** {@code <peer name>: <answer>} on one line, or the same with the reason why there is no answer. */
    String ask(Ask ask, List<Peer> peers) {
        List<Peer> meant = meant(ask.peer(), peers);
        return switch (meant.size()) {
            case 0 -> ask.peer() + ": no peer has this name";
            case 1 -> meant.getFirst().name() + ": " + onOneLine(answerOf(meant.getFirst(), ask.text()));
            default ->
                ask.peer() + ": several peers have this name, ask one by its id: "
                        + meant.stream().map(Peer::id).sorted().collect(Collectors.joining(", "));
        };
    }

    /**
     * Whoever has this id, else this name. Names are not unique, and beside a root stands whoever joined the platform: of
     * several the parent is meant, else the children, else the siblings.
     */
    private List<Peer> meant(String called, List<Peer> peers) {
        List<Peer> named = peers.stream()
                .filter(peer -> peer.id().equalsIgnoreCase(called))
                .toList();
        if (named.isEmpty()) {
            named = peers.stream()
                    .filter(peer -> peer.name().equalsIgnoreCase(called))
                    .toList();
        }
        if (named.size() < 2) {
            return named;
        }
        String parent = parent();
        List<Peer> all = named;
        return Stream.<List<Peer>>of(
                        all.stream().filter(peer -> peer.id().equals(parent)).toList(),
                        all.stream()
                                .filter(peer -> peer.parentId().equals(self.id()))
                                .toList())
                .filter(closer -> !closer.isEmpty())
                .findFirst()
                .orElse(all);
    }

    /** Empty for a root, and where the platform does not say. */
    private String parent() {
        try {
            return self.describe().path("parent_id").asText("");
        } catch (PlatformException unknown) {
            return "";
        }
    }

    private String answerOf(Peer peer, String text) {
        String messageId = UUID.randomUUID().toString();
        PeerActivity.asked(self, peer.id(), peer.name(), text, messageId);
        try {
            JsonNode response = self.ask(peer.id(), text, timeout, messageId);
            String words = A2aAnswer.isQueued(response)
                    ? "will see the message later, and answer with one of its own"
                    : wordsOf(A2aAnswer.fromResponse(response));
            PeerActivity.answered(self, peer.id(), peer.name(), words);
            return words;
        } catch (PlatformException e) {
            return noAnswer(peer, e.error());
        } catch (A2aException e) {
            return noAnswer(peer, String.valueOf(e.getMessage()));
        }
    }

    private String noAnswer(Peer peer, String why) {
        PeerActivity.failed(self, peer.id(), peer.name(), why);
        return "gave no answer (" + why + ")";
    }

    private static String wordsOf(A2aAnswer answer) {
        if (answer.asks()) {
            return "asks: " + answer.statusText();
        }
        String text = answer.text();
        return text.isBlank()
                ? "answered nothing"
                        + answer.taskState().map(" (%s)"::formatted).orElse("")
                : text;
    }

    private static String onOneLine(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).collect(Collectors.joining(" "));
    }
}
