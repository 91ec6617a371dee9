package ai.molecule.system.kubernetes;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Network policies as Kubernetes means them: whom no policy of a direction selects, that direction is open; whom any selects, what
 * any of those allows is allowed and nothing else. A connection needs its sender's leave to go and its receiver's to come.
 */
record Fence(List<NetworkPolicy> policies) {

    boolean allows(Party from, Party to, int port, String protocol) {
        return mayLeave(from, to, port, protocol) && mayEnter(from, to, port, protocol);
    }

    private boolean mayLeave(Party from, Party to, int port, String protocol) {
        var selecting = selecting(from, "Egress");
        return selecting.isEmpty()
                || selecting.stream()
                        .flatMap(policy -> policy.getSpec().getEgress().stream()
                                .map(rule -> rule == null
                                        || (ports(rule.getPorts(), port, protocol) && peers(policy, rule.getTo(), to))))
                        .anyMatch(allowed -> allowed);
    }

    private boolean mayEnter(Party from, Party to, int port, String protocol) {
        var selecting = selecting(to, "Ingress");
        return selecting.isEmpty()
                || selecting.stream()
                        .flatMap(policy -> policy.getSpec().getIngress().stream()
                                .map(rule -> rule == null
                                        || (ports(rule.getPorts(), port, protocol)
                                                && peers(policy, rule.getFrom(), from))))
                        .anyMatch(allowed -> allowed);
    }

    List<NetworkPolicy> selecting(Party pod, String direction) {
        return policies.stream()
                .filter(policy -> Objects.equals(policy.getMetadata().getNamespace(), pod.namespace())
                        && policy.getSpec().getPolicyTypes().contains(direction)
                        && selects(policy.getSpec().getPodSelector(), pod.labels()))
                .toList();
    }

    private static boolean ports(List<NetworkPolicyPort> ports, int port, String protocol) {
        return ports.isEmpty()
                || ports.stream()
                        .anyMatch(allowed -> Objects.requireNonNullElse(allowed.getProtocol(), "TCP")
                                        .equals(protocol)
                                && isPort(allowed.getPort(), port));
    }

    private static boolean isPort(@Nullable IntOrString allowed, int port) {
        return allowed == null || Objects.equals(allowed.getIntVal(), port);
    }

    private static boolean peers(NetworkPolicy policy, List<NetworkPolicyPeer> peers, Party other) {
        return peers.isEmpty() || peers.stream().anyMatch(peer -> isPeer(policy, peer, other));
    }

    private static boolean isPeer(NetworkPolicy policy, NetworkPolicyPeer peer, Party other) {
        if (peer.getIpBlock() != null) {
            return !other.isPod() && contains(peer.getIpBlock(), other.address());
        }
        boolean namespace = peer.getNamespaceSelector() == null
                ? Objects.equals(policy.getMetadata().getNamespace(), other.namespace())
                : other.isPod() && selects(peer.getNamespaceSelector(), other.namespaceLabels());
        return namespace && (peer.getPodSelector() == null || selects(peer.getPodSelector(), other.labels()));
    }

    private static boolean selects(LabelSelector selector, Map<String, String> labels) {
        return labels.entrySet().containsAll(selector.getMatchLabels().entrySet())
                && selector.getMatchExpressions().stream().allMatch(expression -> holds(expression, labels));
    }

    private static boolean holds(LabelSelectorRequirement expression, Map<String, String> labels) {
        String value = labels.get(expression.getKey());
        return switch (expression.getOperator()) {
            case "In" -> expression.getValues().contains(value);
            case "DoesNotExist" -> value == null;
            default -> throw new IllegalStateException(expression.getOperator() + " is not understood here");
        };
    }

    private static boolean contains(IPBlock block, String address) {
        return contains(block.getCidr(), address)
                && block.getExcept().stream().noneMatch(except -> contains(except, address));
    }

    private static boolean contains(String cidr, String address) {
        try {
            String[] parts = cidr.split("/", 2);
            byte[] first = InetAddress.getByName(parts[0]).getAddress();
            byte[] asked = InetAddress.getByName(address).getAddress();
            int ignored = first.length * 8 - Integer.parseInt(parts[1]);
            return first.length == asked.length
                    && new BigInteger(1, first)
                            .shiftRight(ignored)
                            .equals(new BigInteger(1, asked).shiftRight(ignored));
        } catch (UnknownHostException noLiteral) {
            throw new IllegalStateException(cidr, noLiteral);
        }
    }
}
