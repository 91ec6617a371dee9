package ai.molecule.system.kubernetes;

import ai.molecule.common.net.AddressRules;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Who can reach whom at which port. Every pair is tried against the policies, and what is possible is compared with the table of
 * docs/kubernetes.md: a row that is not possible is missing, anything possible that has no row is too much.
 */
final class FlowChecks {

    private static final int NAMES = 53;

    /** Those that anybody here listens on, and one that nobody does. */
    private static final List<Integer> PORTS =
            List.of(NAMES, 443, 5432, 5701, 5702, 6379, 6443, 8000, 8079, 8080, 8081, 8082, 8083, 9090, 12_345);

    private final Rendered rendered;
    private final Fence fence;
    private final List<Party> parties;

    private FlowChecks(Rendered rendered) {
        this.rendered = rendered;
        this.fence = new Fence(Stream.concat(rendered.all(NetworkPolicy.class), Stream.of(amongAgents()))
                .toList());
        this.parties = Party.of(rendered);
    }

    /** @param where {@code base} or the overlay's name, as the table says it */
    static List<String> of(Rendered rendered, String where, Path documentation) throws IOException {
        var checks = new FlowChecks(rendered);
        var wanted = wanted(where, documentation);
        var possible = checks.possible();
        var complaints = new ArrayList<String>();
        wanted.stream()
                .filter(flow -> !possible.contains(flow))
                .forEach(flow -> complaints.add("not possible: " + flow));
        possible.stream().filter(flow -> !wanted.contains(flow)).forEach(flow -> complaints.add("too much: " + flow));
        checks.everybodyIsFenced(complaints);
        checks.internetIsThatOfTheDialer(complaints);
        return complaints;
    }

    /** What the provisioner adds for roots; without it agents could not be told from one another here. */
    private static NetworkPolicy amongAgents() {
        var roots = Map.of("molecule.ai/parent", "none");
        return new NetworkPolicyBuilder()
                .withNewMetadata()
                .withNamespace(Party.AGENTS)
                .endMetadata()
                .withNewSpec()
                .withNewPodSelector()
                .withMatchLabels(roots)
                .endPodSelector()
                .withPolicyTypes("Ingress")
                .addNewIngress()
                .addNewFrom()
                .withNewPodSelector()
                .withMatchLabels(roots)
                .endPodSelector()
                .endFrom()
                .endIngress()
                .endSpec()
                .build();
    }

    private Set<String> possible() {
        var flows = new TreeSet<String>();
        for (var from : parties) {
            for (var to : parties) {
                if (from.isAnybody() && to.isAnybody()) {
                    continue;
                }
                PORTS.stream()
                        .filter(port -> fence.allows(from, to, port, port == NAMES ? "UDP" : "TCP"))
                        .forEach(port -> flows.add(flow(from.name(), to.name(), String.valueOf(port))));
            }
        }
        return flows;
    }

    private static String flow(String from, String to, String port) {
        return "%s -> %s %s".formatted(from, to, port);
    }

    /** Rows of {@code | From | To | Port | In | For |}; the first three may be lists. */
    private static Set<String> wanted(String where, Path documentation) throws IOException {
        var flows = new TreeSet<String>();
        boolean inTable = false;
        for (String line : Files.readAllLines(documentation)) {
            if (line.startsWith("| From |")) {
                inTable = true;
            } else if (!line.startsWith("|")) {
                inTable = false;
            } else if (inTable && !line.startsWith("|---")) {
                String[] cells = line.split("\\|", -1);
                if (words(cells[4]).contains("all") || words(cells[4]).contains(where)) {
                    words(cells[1])
                            .forEach(from -> words(cells[2])
                                    .forEach(to -> ports(cells[3]).forEach(port -> flows.add(flow(from, to, port)))));
                }
            }
        }
        return flows;
    }

    /** {@code any} is any of TCP. */
    private static List<String> ports(String cell) {
        return cell.trim().equals("any")
                ? PORTS.stream()
                        .filter(port -> port != NAMES)
                        .map(String::valueOf)
                        .toList()
                : words(cell);
    }

    private static List<String> words(String cell) {
        return Stream.of(cell.trim().split(", ")).toList();
    }

    /** A direction that no policy selects would be open. */
    private void everybodyIsFenced(List<String> complaints) {
        parties.stream()
                .filter(Party::isPod)
                .filter(party -> !party.isAnybody())
                .forEach(party -> Stream.of("Ingress", "Egress")
                        .filter(direction -> fence.selecting(party, direction).isEmpty())
                        .forEach(direction -> complaints.add("%s of %s is open".formatted(direction, party.name()))));
        rendered.all(NetworkPolicy.class)
                .filter(policy -> parties.stream()
                        .noneMatch(party -> Stream.of("Ingress", "Egress")
                                .anyMatch(direction ->
                                        fence.selecting(party, direction).contains(policy))))
                .forEach(policy -> complaints.add("the policy %s selects nobody"
                        .formatted(policy.getMetadata().getName())));
    }

    /** What the policies leave out of the internet, the platform would not dial either. */
    private void internetIsThatOfTheDialer(List<String> complaints) {
        var dialer = AddressRules.forDialling(false, false);
        rendered.all(NetworkPolicy.class)
                .flatMap(policy -> policy.getSpec().getEgress().stream())
                .flatMap(rule -> rule.getTo().stream())
                .map(peer -> peer.getIpBlock())
                .filter(block -> block != null && block.getCidr().equals("0.0.0.0/0"))
                .flatMap(FlowChecks::exceptions)
                .filter(dialer::allows)
                .forEach(address -> complaints.add("%s is left out, but may be dialled".formatted(address)));
    }

    private static Stream<InetAddress> exceptions(IPBlock block) {
        return block.getExcept().stream().map(except -> {
            try {
                return InetAddress.getByName(except.split("/", 2)[0]);
            } catch (java.net.UnknownHostException noLiteral) {
                throw new IllegalStateException(except, noLiteral);
            }
        });
    }
}
