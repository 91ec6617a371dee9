package ai.molecule.system.kubernetes;

import ai.molecule.common.cluster.ClusterConfig.Mode;
import ai.molecule.common.config.Environment;
import ai.molecule.events.EventsConfig;
import ai.molecule.provisioner.ProvisionerConfig;
import ai.molecule.provisioner.backend.BackendKind;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.registry.RegistryConfig;
import ai.molecule.system.kubernetes.Served.Read;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Each service is given the environment of its pod, as if it started there: it must take it, read every variable of it, listen where
 * the container says, and know the others by names that the manifests have.
 */
final class ServiceChecks {

    /** What a stop takes at most besides the times that are variables, see {@code ServiceProcess}. */
    private static final int CLOSING_SECONDS = 8;

    private final Rendered rendered;
    private final Addresses addresses;
    private final List<String> complaints = new ArrayList<>();

    private ServiceChecks(Rendered rendered) {
        this.rendered = rendered;
        this.addresses = new Addresses(rendered);
    }

    static List<String> of(Rendered rendered, Path files, Secrets secrets) throws IOException {
        var checks = new ServiceChecks(rendered);
        var environments = new Environments(rendered, files, secrets);
        for (var service : Served.values()) {
            checks.starts(service, environments.laidOut(service, checks.complaints));
        }
        checks.ingress();
        return checks.complaints;
    }

    private void starts(Served service, Map<String, String> variables) {
        var asked = new Environments.Asked(variables);
        Read read;
        try {
            read = service.read(asked);
        } catch (IllegalArgumentException refused) {
            complain("%s does not start: %s".formatted(service.deployment(), refused.getMessage()));
            return;
        }
        var unread = new TreeSet<>(variables.keySet());
        unread.removeAll(asked.names());
        unread.forEach(name -> complain("%s does not read %s".formatted(service.deployment(), name)));
        platform(service, read);
        ports(service, read);
        stops(service, read);
        members(service, read);
        own(read);
        Stream.of("REGISTRY_URL", "EVENTS_URL", "PROVISIONER_URL", "PLATFORM_URL")
                .filter(variables::containsKey)
                .forEach(name -> owner(name, variables.getOrDefault(name, "")));
    }

    private void platform(Served service, Read read) {
        var platform = read.platform();
        expect(service, "the environment", Environment.PRODUCTION, platform.environment());
        expect(service, "the address", "0.0.0.0", platform.bindHost());
        expect(service, "an administrator's token", true, platform.adminToken() != null);
        expect(service, "an edge secret", true, platform.edgeSecret() != null);
        expect(service, "the database", Values.DATABASE_URL, platform.databaseUrl());
        expect(service, "Redis", Values.REDIS_URL, platform.redisUrl());
    }

    private void ports(Served service, Read read) {
        expect(service, "the port http", addresses.containerPort(service, "http"), read.port());
        expect(
                service,
                "the port metrics",
                addresses.containerPort(service, "metrics"),
                read.platform().metricsPort());
        expect(
                service,
                "the port members",
                addresses.containerPort(service, "members"),
                read.platform().cluster().port());
        expect(
                service,
                "the port bus",
                addresses.containerPort(service, "bus"),
                read.platform().cluster().busPort());
    }

    /** Killed before it has left, it would take requests with it. */
    private void stops(Served service, Read read) {
        var times = read.platform().stopping();
        long stop = times.drain().plus(times.finish()).toSeconds() + CLOSING_SECONDS;
        Long grace =
                rendered.deployment(service).getSpec().getTemplate().getSpec().getTerminationGracePeriodSeconds();
        if (grace == null || grace <= stop) {
            complain("%s is killed after %s s, it may need %d".formatted(service.deployment(), grace, stop));
        }
    }

    /** The name that members look up is a headless service of all of them, ready or not. */
    private void members(Served service, Read read) {
        var cluster = read.platform().cluster();
        expect(service, "the way to join", Mode.DNS, cluster.mode());
        expect(service, "the cluster's name", Values.CLUSTER_NAME, cluster.name());
        expect(service, "a certificate", true, cluster.certificate() != null);
        expect(service, "its own address", Environments.POD_IP, cluster.host());
        var headless = addresses.named(cluster.service());
        if (headless == null) {
            complain("%s looks for members at %s, which is no service"
                    .formatted(service.deployment(), cluster.service()));
            return;
        }
        if (!"None".equals(headless.getSpec().getClusterIP())
                || !Boolean.TRUE.equals(headless.getSpec().getPublishNotReadyAddresses())) {
            complain("%s does not name every member".formatted(cluster.service()));
        }
        if (!addresses.selects(headless, service)) {
            complain("%s leaves out %s".formatted(cluster.service(), service.deployment()));
        }
    }

    private void own(Read read) {
        switch (read.config()) {
            case RegistryConfig config -> {
                expect(Served.REGISTRY, "a key for secrets", true, config.encryptionKey() != null);
                publicUrl(Served.REGISTRY, config.externalPlatformUrl());
            }
            case ProxyConfig config -> {
                var agents = config.agents();
                expect(
                        Served.PROXY,
                        "the port agents",
                        addresses.containerPort(Served.PROXY, "agents"),
                        agents == null ? null : agents.port());
                rendered.all(Ingress.class)
                        .flatMap(ingress -> ingress.getSpec().getRules().stream())
                        .map(rule -> rule.getHost())
                        .filter(Objects::nonNull)
                        .forEach(host -> expect(
                                Served.PROXY,
                                "serving " + host,
                                true,
                                config.platform().hosts().contains(host)));
            }
            case EventsConfig config -> publicUrl(Served.EVENTS, config.publicUrl());
            case ProvisionerConfig config -> {
                expect(Served.PROVISIONER, "the backend", BackendKind.KUBERNETES, config.backend());
                Stream.of(
                                config.templates(),
                                config.organisations().organisations(),
                                Objects.requireNonNull(config.plugins().registry()),
                                config.process().data(),
                                Objects.requireNonNull(config.plugins().staging()))
                        .filter(folder -> !addresses.writable(Served.PROVISIONER, folder))
                        .forEach(folder -> complain("the provisioner cannot write to %s".formatted(folder)));
            }
            default -> {}
        }
    }

    /** Where an overlay names a host, links that the platform gives out lead there. */
    private void publicUrl(Served service, @Nullable String url) {
        rendered.all(Ingress.class)
                .flatMap(ingress -> ingress.getSpec().getRules().stream())
                .filter(rule -> rule.getHost() != null)
                .forEach(rule -> expect(service, "the public address", "https://" + rule.getHost(), url));
    }

    private void owner(String variable, String urls) {
        var owner = variable.equals("PLATFORM_URL") ? Served.PROXY : Served.valueOf(variable.replace("_URL", ""));
        String port = variable.equals("PLATFORM_URL") ? "agents" : "http";
        for (String url : urls.split(",", -1)) {
            var address = URI.create(url);
            var service = addresses.named(address.getHost());
            if (service == null
                    || !addresses.selects(service, owner)
                    || addresses.targetPort(service, address.getPort()) != addresses.containerPort(owner, port)) {
                complain("%s is %s, where %s is not".formatted(variable, url, owner.deployment()));
            }
        }
    }

    private void ingress() {
        for (var ingress : rendered.all(Ingress.class).toList()) {
            for (var rule : ingress.getSpec().getRules()) {
                for (var path : rule.getHttp().getPaths()) {
                    var backend = path.getBackend().getService();
                    var service = rendered.all(Service.class)
                            .filter(known -> known.getMetadata().getName().equals(backend.getName()))
                            .findFirst();
                    boolean direct = path.getPath().equals("/ws");
                    var owner = direct ? Served.EVENTS : Served.PROXY;
                    if (service.isEmpty()
                            || !addresses.selects(service.get(), owner)
                            || !path.getPathType().equals(direct ? "Exact" : "Prefix")
                            || service.get().getSpec().getPorts().stream()
                                    .noneMatch(port -> port.getName()
                                            .equals(backend.getPort().getName()))) {
                        complain("the path %s of the Ingress does not lead to %s"
                                .formatted(path.getPath(), owner.deployment()));
                    }
                }
            }
        }
    }

    private void expect(Served service, String what, Object wanted, @Nullable Object found) {
        if (!wanted.equals(found)) {
            complain("%s: %s is %s instead of %s".formatted(service.deployment(), what, found, wanted));
        }
    }

    private void complain(String sentence) {
        complaints.add(sentence);
    }
}
