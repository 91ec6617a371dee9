package ai.molecule.cli.profile;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gets a token of the person who types a code at the platform's page (RFC 8628), and keeps it in a profile. */
@Command(
        name = "login",
        description = "Sign in: show a code to enter in the console, then store the token in a profile.",
        footer = {
            "",
            "The token is kept in a profile, which is meant from then on wherever no other platform is named.",
            "Exit codes: 0 signed in, 1 the platform failed, 2 it was refused, or something for you to change."
        })
public final class LoginCommand extends PlatformCommand {

    private static final String GRANT = "urn:ietf:params:oauth:grant-type:device_code";
    private static final int SLOWER_SECONDS = 5;

    /** Whatever a platform says: another one than is meant may stand at the address. */
    private static final long PAUSE_MAX_SECONDS = 60;

    private static final long WAIT_MAX_SECONDS = 1_800;

    @Option(names = "--as", paramLabel = "NAME", description = "Name of the profile. Default: host of the platform")
    private @Nullable String name;

    public LoginCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String called = Profiles.checkedName(name != null ? name : hostOf(api.url()));
        var begun = Named.done(
                "It was not begun",
                api.call("POST", "/device/code", new JsonObject().put("client_id", "molecule at " + machine())));
        console.say("Open %s and type %s; or open %s"
                .formatted(
                        begun.getString("verification_uri"),
                        begun.getString("user_code"),
                        begun.getString("verification_uri_complete")));
        var granted = granted(api, begun);
        var profiles = Profiles.read(platform().profiles(System.getenv()));
        profiles.with(
                        called,
                        new Profile(
                                api.url(),
                                Optional.ofNullable(granted.getString("access_token")),
                                Optional.empty(),
                                api.organisation()))
                .choosing(called)
                .write();
        return tell(
                new JsonObject().put("profile", called).put("role", granted.getString("scope")),
                "You are signed in as %s, for %d days; the profile %s is meant from now on."
                        .formatted(
                                granted.getString("scope"),
                                Duration.ofSeconds(granted.getLong("expires_in", 0L))
                                        .toDays(),
                                called));
    }

    private static JsonObject granted(PlatformApi api, JsonObject begun) throws IOException {
        var question = new JsonObject().put("grant_type", GRANT).put("device_code", begun.getString("device_code"));
        long pause = Math.clamp(begun.getLong("interval", 5L), 0, PAUSE_MAX_SECONDS);
        long end = System.nanoTime()
                + Duration.ofSeconds(Math.clamp(begun.getLong("expires_in", 600L), 0, WAIT_MAX_SECONDS))
                        .toNanos();
        while (System.nanoTime() < end) {
            var answer = api.call("POST", "/device/token", question);
            switch (answer.status() == 200 ? "" : answer.body().getString("error", "")) {
                case "" -> {
                    return answer.body();
                }
                case "authorization_pending" -> {}
                case "slow_down" -> pause = Math.min(pause + SLOWER_SECONDS, PAUSE_MAX_SECONDS);
                case "access_denied" -> throw LaunchFailure.usersTurn("It was refused at the page.");
                case "expired_token" ->
                    throw LaunchFailure.usersTurn("The code is over; ./molecule login begins anew.");
                default -> Named.done("You were not signed in", answer);
            }
            sleep(pause);
        }
        throw LaunchFailure.usersTurn("Nobody typed the code in time; ./molecule login begins anew.");
    }

    private static void sleep(long seconds) throws IOException {
        try {
            Thread.sleep(Duration.ofSeconds(seconds));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String hostOf(String url) {
        return String.valueOf(URI.create(url).getHost()).replaceAll("[^A-Za-z0-9_-]+", "-");
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "a machine without a name";
        }
    }
}
