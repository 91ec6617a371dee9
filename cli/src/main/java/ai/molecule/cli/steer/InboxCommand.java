package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.approvals.AskedApproval;
import ai.molecule.cli.approvals.Decider;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.common.text.VisibleText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What waits for a person, whatever it is, and what to do about it. */
@Command(name = "inbox", description = "List approvals, questions and problems that wait for you.")
final class InboxCommand extends PlatformCommand {

    /** Pages of 200; who has more waiting does some of it first. */
    private static final int PAGES_MAX = 10;

    private static final String UNDER = "          ";

    /** What a person does about a kind; one that is not among them shows its words alone. */
    private static final Map<String, String> NEXT = Map.of(
            "budget", "raise its budget on the page, or let it rest until the month is over",
            "limit", "allow it more on the page, or let it end",
            "price", "./molecule price provider:model --in DOLLARS --out DOLLARS, or ./molecule inbox --dismiss %1$s",
            "unusual_cost", "look at the run in the console; ./molecule inbox --dismiss %1$s takes it from the list",
            "outcome_unknown", "look whether it was done; ./molecule inbox --dismiss %1$s takes it from the list",
            "stranger", "./molecule admit %2$s, or ./molecule rm %2$s",
            "failed", "./molecule logs %2$s, then ./molecule restart %2$s",
            "degraded", "./molecule logs %2$s",
            "awaiting_agent", "./molecule connect --workspace-id %3$s makes a command that agent",
            "webhook", "./molecule webhook set TYPE --secret, or ./molecule webhook rm TYPE");

    @Option(names = "--dismiss", paramLabel = "ID", description = "Dismiss the item with this id.")
    private @Nullable String dismissed;

    /** Read once, where something in the inbox is cut. */
    private @Nullable List<AskedApproval> pending;

    /** Read once, where a rule says who decides something in the inbox. */
    private @Nullable Decider decider;

    InboxCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var rows = rows(api);
        if (dismissed != null) {
            return dismiss(api, rows, dismissed);
        }
        if (json) {
            console.out(new JsonObject().put("rows", new JsonArray(rows)).encode());
            return 0;
        }
        print(api, rows, "decide");
        print(api, rows, "fix");
        if (rows.isEmpty()) {
            console.say("Nothing waits for you.");
        }
        return 0;
    }

    private static List<JsonObject> rows(PlatformApi api) throws IOException {
        var rows = new ArrayList<JsonObject>();
        String after = "";
        for (int page = 0; page < PAGES_MAX; page++) {
            var answer = Named.done("The inbox is not known", api.call("GET", "/inbox?limit=200" + after));
            answer.getJsonArray("rows", new JsonArray()).forEach(row -> rows.add((JsonObject) row));
            Object next = answer.getValue("next");
            if (next == null) {
                break;
            }
            after = "&after=" + PlatformApi.encoded(next.toString());
        }
        return rows;
    }

    private void print(PlatformApi api, List<JsonObject> rows, String part) throws IOException {
        for (var row : rows) {
            if (part.equals(row.getString("part")) && "approval".equals(row.getString("kind"))) {
                printApproval(row, whole(api, AskedApproval.ofInbox(row)), offer(api, row));
            } else if (part.equals(row.getString("part"))) {
                print(row);
            }
        }
    }

    /** Nobody approves what they have not read: what the inbox cut is read from the approval. */
    private AskedApproval whole(PlatformApi api, AskedApproval asked) throws IOException {
        if (asked.isWhole()) {
            return asked;
        }
        if (pending == null) {
            pending = Approvals.pending(api).stream()
                    .map(JsonObject.class::cast)
                    .map(AskedApproval::ofPending)
                    .toList();
        }
        return pending.stream()
                .filter(one -> one.id().equals(asked.id()))
                .findFirst()
                .orElse(asked);
    }

    /**
     * What is offered about an approval.
     *
     * @param refusal why nothing is; null where something is
     * @param approve false for who approved it already
     */
    private record Offer(@Nullable String refusal, boolean approve) {}

    private Offer offer(PlatformApi api, JsonObject row) throws IOException {
        var ruled = Decider.decidersOf(row.getJsonObject("details", new JsonObject()));
        if (ruled.isEmpty()) {
            return new Offer(null, true);
        }
        var asking = decider == null ? Decider.of(api.call("GET", "/people/me")) : decider;
        decider = asking;
        return new Offer(asking.whyNot(ruled.get()).orElse(null), !ruled.get().isApprovedBy(asking.login()));
    }

    private void printApproval(JsonObject row, AskedApproval asked, Offer offer) {
        String id = Shell.quoted(asked.id().split("-", 2)[0]);
        console.out("%-8s  %s asks: %s"
                .formatted(
                        asked.id().split("-", 2)[0],
                        line(row, "workspace_name", row.getString("workspace_id", "")),
                        VisibleText.line(asked.action())));
        under("because: ", VisibleText.line(asked.reason()));
        under("with: ", asked.shownContext());
        under("", waits(row));
        under("until ", line(row, "expires_at", ""));
        if (offer.refusal() != null) {
            under("", offer.refusal());
            return;
        }
        if (!offer.approve()) {
            under("", console.hint("You approved this. To deny it: ./molecule deny " + id));
            return;
        }
        String digest = asked.digest();
        String only = digest.isEmpty() ? "" : " --digest " + digest.substring(0, AskedApproval.DIGEST_MIN_CHARS);
        under(
                "",
                console.hint(
                        asked.isWhole()
                                ? "./molecule approve %s%s, or ./molecule deny %s".formatted(id, only, id)
                                : "this is not all of it: read and decide it on the page, or ./molecule deny " + id));
    }

    /** For whom, where a rule says who decides. */
    private static String waits(JsonObject row) {
        return row.getJsonObject("details", new JsonObject()).getValue("deciders") instanceof JsonObject deciders
                ? line(deciders, "waits", "")
                : "";
    }

    private void print(JsonObject row) {
        var details = row.getJsonObject("details", new JsonObject());
        String kind = row.getString("kind", "");
        String id = row.getString("id", "").split("-", 2)[0];
        String agent = line(row, "workspace_name", row.getString("workspace_id", ""));
        console.out("%-8s  %s %s: %s".formatted(id, agent, asked(kind), line(row, "text", "")));
        under("because: ", line(details, "reason", ""));
        under("until ", line(row, "expires_at", ""));
        under("", console.hint(next(kind, row, details, id, agent)));
    }

    private void under(String begins, String text) {
        if (!text.isEmpty()) {
            console.out(UNDER + begins + text);
        }
    }

    private static String asked(String kind) {
        return kind.equals("question") ? "asks" : kind.replace('_', ' ');
    }

    private static String next(String kind, JsonObject row, JsonObject details, String id, String agent) {
        String called = Shell.agent(agent, row.getString("workspace_id", ""));
        if (kind.equals("question")) {
            String context = details.getString("context_id");
            return "./molecule say %s %s YOUR ANSWER"
                    .formatted(
                            called,
                            context == null
                                    ? "--task " + Shell.quoted(details.getString("task_id", ""))
                                    : "--context " + Shell.quoted(context));
        }
        return NEXT.getOrDefault(kind, "")
                .formatted(Shell.quoted(id), called, Shell.quoted(row.getString("workspace_id", "")));
    }

    private int dismiss(PlatformApi api, List<JsonObject> rows, String beginning) throws IOException {
        var meant = rows.stream()
                .filter(row -> !beginning.isEmpty() && row.getString("id", "").startsWith(beginning))
                .toList();
        if (meant.size() != 1) {
            throw LaunchFailure.usersTurn(
                    (meant.isEmpty() ? "Nothing that waits has an id that begins with " : "Several ids begin with ")
                            + beginning + "; ./molecule inbox --json has them whole.");
        }
        return tell(
                Named.done(
                        "It stays in the inbox",
                        api.call("DELETE", "/inbox/" + meant.getFirst().getString("id"))),
                "It is taken from the inbox.");
    }

    private static String line(JsonObject row, String member, String otherwise) {
        String text = row.getString(member);
        return text == null ? otherwise : VisibleText.line(text);
    }
}
