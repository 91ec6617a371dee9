package ai.molecule.runtime.tools;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What workspaces have handed on without waiting, for whoever follows it one by one. */
public final class DelegatedWork {

    private static final String CANCELED = "canceled by whoever gave it";
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
    private static final Set<String> OVER = Set.of("completed", "failed");

    /** The peer works on; its end is the delegation's. */
    private static final Duration TAKING = Duration.ofSeconds(2);

    private final Workspaces workspaces;

    public DelegatedWork(Workspaces workspaces) {
        this.workspaces = workspaces;
    }

    /**
     * A delegation, and whose it is.
     *
     * @param row as {@link WorkspaceClient#delegation} has it
     */
    public record Found(WorkspaceClient source, JsonNode row) {

        boolean isOver() {
            return OVER.contains(row.path("status").asText());
        }

        String target() {
            return row.path("target_id").asText();
        }
    }

    public Optional<Found> find(String delegationId) {
        if (!ID.matcher(delegationId).matches()) {
            return Optional.empty();
        }
        for (WorkspaceClient source : workspaces.all()) {
            try {
                return Optional.of(new Found(source, source.delegation(delegationId)));
            } catch (PlatformException e) {
                if (e.status() != 404) {
                    throw e;
                }
            }
        }
        return Optional.empty();
    }

    /** Whether {@link #cancel} ended it. */
    public static boolean isCanceled(JsonNode row) {
        return row.path("error").asText().equals(CANCELED);
    }

    /** What its target asks, by a key of its own; empty where it asks nothing, or cannot be asked now. */
    public Optional<ObjectNode> question(Found found) {
        return asked(found).map(PeersQuestion::requests);
    }

    /** The target goes on with the answer to what it asks now; other answers are passed over. */
    public void answer(Found found, JsonNode responses) {
        asked(found).filter(question -> responses.has(question.key())).ifPresent(question -> {
            try {
                question.goOn(found.source(), responses.path(question.key()), TAKING);
            } catch (PlatformException e) {
                if (e.status() != 504) {
                    throw e;
                }
            }
        });
    }

    private Optional<PeersQuestion> asked(Found found) {
        JsonNode row = found.row();
        if (!row.path("asks").asBoolean()) {
            return Optional.empty();
        }
        try {
            JsonNode task =
                    found.source().task(found.target(), row.path("task_id").asText());
            return PeersQuestion.of(task, found.target(), "");
        } catch (PlatformException away) {
            return Optional.empty();
        }
    }

    /** It has no outcome but this; what its target has begun is cancelled, where the target can tell what that is. */
    public void cancel(Found found) {
        if (found.isOver()) {
            return;
        }
        found.source().endDelegation(found.row().path("delegation_id").asText(), CANCELED);
        try {
            String task = found.row().path("task_id").asText("");
            if (task.isEmpty()) {
                task = found.source()
                        .taskOf(
                                found.target(),
                                found.row().path("delegation_id").asText())
                        .path("result")
                        .path("id")
                        .asText("");
            }
            if (!task.isEmpty()) {
                found.source().cancel(found.target(), task);
            }
        } catch (PlatformException away) {
            // it has ended for whoever gave it
        }
    }
}
