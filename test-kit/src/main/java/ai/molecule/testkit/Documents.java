package ai.molecule.testkit;

import java.nio.file.Path;

/** The documents and manifests that tests hold to the code: whoever moves one changes its line here. Tests run in their module's folder. */
public final class Documents {

    private static final Path ROOT = Path.of("..");
    private static final Path WIRE = ROOT.resolve("docs/wire");

    public static final Path CLI = ROOT.resolve("docs/cli.md");
    public static final Path DASHBOARD = ROOT.resolve("docs/grafana/molecule.json");
    public static final Path KUBERNETES = ROOT.resolve("docs/kubernetes.md");
    public static final Path MAN = ROOT.resolve("docs/man");
    public static final Path OPERATIONS = ROOT.resolve("docs/operations.md");
    public static final Path TOOLS = ROOT.resolve("docs/tools.md");

    public static final Path WIRE_A2A_EXCHANGES = WIRE.resolve("a2a-exchanges.md");
    public static final Path WIRE_AUDIT = WIRE.resolve("audit.md");
    public static final Path WIRE_EVENTS = WIRE.resolve("events.md");
    public static final Path WIRE_PROVISIONER = WIRE.resolve("provisioner.md");
    public static final Path WIRE_PROXY = WIRE.resolve("proxy.md");
    public static final Path WIRE_README = WIRE.resolve("README.md");
    public static final Path WIRE_REGISTRY = WIRE.resolve("registry.md");
    public static final Path WIRE_RUNTIME = WIRE.resolve("runtime.md");
    public static final Path WIRE_TRACES = WIRE.resolve("traces.md");

    public static final Path IMAGES_LOCK = ROOT.resolve("docker/images.lock");
    public static final Path CONSOLE_VISIBLE = ROOT.resolve("canvas/src/main/web/visible.ts");
    public static final Path AGENT_POLICIES = ROOT.resolve("k8s/base/network-agents.yaml");
    public static final Path PROVISIONER_ROLE = ROOT.resolve("k8s/base/provisioner-role.yaml");

    private Documents() {}
}
