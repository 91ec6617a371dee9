package ai.molecule.cli.share;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.RunningPlatforms;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.common.http.Edge;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves the page to other machines until Ctrl-C: with TLS, and only where people sign in. */
@Command(
        name = "share",
        description = "Serve the console to other machines over TLS, with a code for a phone, until Ctrl-C.",
        footer = {
            "",
            "Refused where nobody could sign in: the platform must run with --env production and know people",
            "(docs/people.md). Without --certificate one is made, which browsers ask about once; compare what they show."
        })
public final class ShareCommand implements Callable<Integer> {

    @Option(
            names = "--host",
            paramLabel = "NAME|IP",
            description = "Host name for the link. Default: address of this machine")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port to listen on, 0 for any free port. Default: 8443")
    private int port = 8443;

    @Option(names = "--certificate", paramLabel = "FILE", description = "Certificate with its chain (PEM)")
    private @Nullable Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "Private key of the certificate (PEM)")
    private @Nullable Path key;

    @Option(names = "--data", paramLabel = "DIR", description = MoleculeHome.DATA_DEFAULT)
    private @Nullable Path folder;

    private final Console console;
    private final MoleculeHome home;
    private final Map<String, String> environment;
    private final CountDownLatch over;

    /** @param over ends it */
    ShareCommand(Console console, MoleculeHome home, Map<String, String> environment, CountDownLatch over) {
        this.console = console;
        this.home = home;
        this.environment = environment;
        this.over = over;
    }

    public ShareCommand(Console console, MoleculeHome home, Map<String, String> environment) {
        this(console, home, environment, new CountDownLatch(1));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if ((certificate == null) != (key == null)) {
            throw LaunchFailure.usersTurn("--certificate and --key go together.");
        }
        if (port < 0 || port > 65_535) {
            throw LaunchFailure.usersTurn("--port " + port + " is not a port; give a number from 0 to 65535.");
        }
        var data = RunningPlatforms.meant(home, folder);
        var running = RunFile.read(data.runFile())
                .orElseThrow(() -> LaunchFailure.usersTurn("Molecule is not running in " + data.root()
                        + "; start it with ./molecule up --env production."));
        try (var api = new PlatformApi(running.url(), Optional.empty(), Optional.empty())) {
            requireSignIn(api);
        }
        String called = host == null ? address() : host;
        var proof = certificate != null && key != null
                ? ShareCertificate.given(certificate, key)
                : ShareCertificate.of(data.secrets(), called);
        serve(running.url(), Edge.forwarderSecret(edgeSecret(data)), called, proof);
        return 0;
    }

    /** What stands open in development stands open to nobody else; and a page that nobody can sign in at is of no use. */
    private static void requireSignIn(PlatformApi api) throws IOException {
        // without a bearer: in production as if there were no such route, in development an answer or a refusal
        int open = api.call("GET", "/admin/workspaces/" + UUID.randomUUID() + "/test-token")
                .status();
        var session = api.call("GET", "/session").body();
        if (open != 404 || !session.getBoolean("required", false)) {
            throw LaunchFailure.usersTurn(
                    "This platform runs for development, where much is open to everybody who reaches it;"
                            + " start it with ./molecule up --env production to share it.");
        }
        var ways = session.getJsonObject("ways", new JsonObject());
        if (!ways.getBoolean("password", false)
                && ways.getJsonArray("providers", new JsonArray()).isEmpty()) {
            throw LaunchFailure.usersTurn(
                    "Nobody could sign in: make yourself the first owner by the link that up printed,"
                            + " or set a provider (docs/people.md).");
        }
    }

    private String edgeSecret(DataFolder data) throws IOException {
        String own = environment.getOrDefault("MOLECULE_EDGE_SECRET", "");
        return own.isBlank() ? Secrets.load(data, true).edgeSecret() : own;
    }

    private void serve(String platform, String forwarderSecret, String called, ShareCertificate proof)
            throws IOException, InterruptedException {
        var vertx = Vertx.vertx();
        try {
            var door = open(vertx, platform, forwarderSecret, called, proof);
            String url = "https://%s:%d/".formatted(called.contains(":") ? "[" + called + "]" : called, door.port());
            QrText.of(url, colours()).forEach(console::out);
            console.out(url);
            console.say("Shared until Ctrl-C; whoever comes signs in."
                    + (certificate == null
                            ? " The certificate is made here: a browser asks about it once, and should show\n"
                                    + proof.fingerprint()
                            : ""));
            over.await();
        } finally {
            vertx.close().await();
        }
    }

    private SharedDoor open(Vertx vertx, String platform, String forwarderSecret, String called, ShareCertificate proof)
            throws IOException {
        var options = proof.options();
        var served = new ServedNames(called, proof.names());
        try {
            return new SharedDoor(vertx, URI.create(platform), forwarderSecret, served, options, "0.0.0.0", port);
        } catch (RuntimeException refused) {
            throw LaunchFailure.usersTurn(
                    "It cannot listen at port %d with that certificate: %s".formatted(port, refused.getMessage()));
        }
    }

    private boolean colours() {
        var terminal = System.console();
        return terminal != null
                && terminal.isTerminal()
                && environment.getOrDefault("NO_COLOR", "").isEmpty();
    }

    /** Of the network that others are in: none of this machine's own, else its name. */
    private static String address() throws IOException {
        var found = NetworkInterface.networkInterfaces()
                .filter(ShareCommand::isUp)
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && address.isSiteLocalAddress())
                .map(InetAddress::getHostAddress)
                .findFirst();
        return found.isPresent() ? found.get() : ownName();
    }

    private static boolean isUp(NetworkInterface one) {
        try {
            return one.isUp()
                    && !one.isLoopback()
                    && !one.isVirtual()
                    && !one.getName().matches("(docker|br-|veth).*");
        } catch (IOException unknown) {
            return false;
        }
    }

    private static String ownName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            throw LaunchFailure.usersTurn("This machine has no address that others could know; say one with --host.");
        }
    }
}
