package ai.molecule.runtime.delegate;

import ai.molecule.sdk.A2aAnswer;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.A2aException;
import ai.molecule.sdk.Peer;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.PlatformException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Calls peers by their names, and puts whatever comes of it into words. */
final class PeerCalls {

    private final PlatformClient platform;
    private final A2aClient agents;
    private final Duration timeout;

    PeerCalls(PlatformClient platform, A2aClient agents, Duration timeout) {
        this.platform = platform;
        this.agents = agents;
        this.timeout = timeout;
    }

    /** @throws PlatformException when the platform does not say who the peers are */
    List<Peer> peers() {
        return platform.peers();
    }

    /** {@code <peer name>: <answer>} on one line, or the same with the reason why there is no answer. */
    String ask(Ask ask, List<Peer> peers) {
        List<Peer> named = peers.stream()
                .filter(peer -> peer.name().equalsIgnoreCase(ask.peer()))
                .toList();
        return switch (named.size()) {
            case 0 -> ask.peer() + ": no peer has this name";
            case 1 -> named.getFirst().name() + ": " + onOneLine(answerOf(named.getFirst(), ask.text()));
            default -> ask.peer() + ": several peers have this name";
        };
    }

    private String answerOf(Peer peer, String text) {
        try {
            Optional<URI> url = platform.discover(peer.id());
            return url.isPresent()
                    ? wordsOf(agents.send(url.get(), Optional.of(peer.id()), text, timeout))
                    : "has no address that can be called";
        } catch (PlatformException e) {
            return "could not be found (" + e.error() + ")";
        } catch (A2aException e) {
            return "gave no answer (" + e.getMessage() + ")";
        }
    }

    private static String wordsOf(A2aAnswer answer) {
        String text = answer.text();
        return text.isBlank()
                ? "answered nothing"
                        + answer.taskState().map(" (%s)"::formatted).orElse("")
                : text;
    }

    private static String onOneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
