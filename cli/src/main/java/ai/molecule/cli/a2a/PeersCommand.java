package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.sdk.Peer;
import ai.molecule.sdk.PlatformException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Whom the workspace may talk to. */
@Command(name = "peers", description = "Lists the workspaces that can be talked to.")
final class PeersCommand implements Callable<Integer> {

    @Mixin
    private Speaker speaker = new Speaker();

    private final Console console;
    private final Map<String, String> environment;

    PeersCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        List<Peer> peers = peers();
        if (speaker.json()) {
            var rows = JsonNodeFactory.instance.arrayNode();
            peers.forEach(peer -> rows.addObject()
                    .put("id", peer.id())
                    .put("name", peer.name())
                    .put("status", peer.status())
                    .put("role", peer.role()));
            console.out(rows.toString());
        } else {
            peers.forEach(peer -> console.out("%s  %-30s  %-10s  %s"
                    .formatted(peer.id(), peer.name(), peer.status(), peer.role())
                    .stripTrailing()));
        }
        return 0;
    }

    private List<Peer> peers() {
        try {
            return speaker.workspace(environment).peers();
        } catch (PlatformException e) {
            throw LaunchFailure.broken("Error: could not fetch peers: " + e.error(), e);
        }
    }
}
