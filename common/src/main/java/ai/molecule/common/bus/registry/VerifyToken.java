package ai.molecule.common.bus.registry;

import ai.molecule.common.auth.Person;
import ai.molecule.common.bus.Contract;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a bearer proves and which tokens exist. Called by the guards of every service but the registry, cached for at most 2 s
 * and dropped on {@link ai.molecule.common.bus.hints.TokensChanged}. Reads only, so it may be repeated.
 *
 * @param tokenHash SHA-256 of the bearer in Base64; null when only the counts are wanted
 * @param workspaceId whose live tokens to look for; null when nobody's
 */
public record VerifyToken(
        @Nullable String tokenHash, @Nullable UUID workspaceId) {

    public static final Contract<VerifyToken, Verdict> CONTRACT =
            Contract.reading("registry.verify-token", VerifyToken.class, Verdict.class);

    /** Whose token it is. */
    public enum Holder {
        NOBODY,
        WORKSPACE,
        ORGANISATION,
        /** A program of a workspace's, by its {@link ai.molecule.common.auth.ModelKey}: it may ask models and nothing else. */
        MODEL_KEY,
        /** A person at a page, who showed the {@code ADMIN_TOKEN} for it. */
        SESSION,
        /** Somebody with a name, by a session or a token of theirs. */
        PERSON
    }

    /** What the workspace behind a token may do. */
    public enum Standing {
        ADMITTED,
        /** Nobody with the right to do so asked for it: no secrets, no memories of others, no events but its own. */
        UNADMITTED,
        /** Paused: its state, its heartbeats and the results of work it had, and nothing else. */
        SUSPENDED
    }

    /**
     * @param workspaceHolder the workspace a live workspace token belongs to
     * @param incarnation the incarnation the token was issued for; null for tokens made by hand
     * @param standing of {@code workspaceHolder}; ADMITTED when there is none
     * @param organisationTokenPrefix the first eight characters of a live org token
     * @param anyLiveToken whether any live workspace token exists at all
     * @param workspaceHasLiveToken whether {@code workspaceId} has one
     * @param modelKeyHolder the workspace whose model key was shown; {@code workspaceHolder} is null then
     * @param person set for {@link Holder#PERSON}; the role there is that at {@link VerifyToken#workspaceId}
     */
    public record Verdict(
            Holder holder,
            @Nullable UUID workspaceHolder,
            @Nullable Integer incarnation,
            Standing standing,
            @Nullable String organisationTokenPrefix,
            boolean anyLiveToken,
            boolean workspaceHasLiveToken,
            @Nullable UUID modelKeyHolder,
            @Nullable Person person) {

        /** Of everything but a person. */
        public Verdict(
                Holder holder,
                @Nullable UUID workspaceHolder,
                @Nullable Integer incarnation,
                Standing standing,
                @Nullable String organisationTokenPrefix,
                boolean anyLiveToken,
                boolean workspaceHasLiveToken,
                @Nullable UUID modelKeyHolder) {
            this(
                    holder,
                    workspaceHolder,
                    incarnation,
                    standing,
                    organisationTokenPrefix,
                    anyLiveToken,
                    workspaceHasLiveToken,
                    modelKeyHolder,
                    null);
        }

        /** Of everything but a model key and a person. */
        public Verdict(
                Holder holder,
                @Nullable UUID workspaceHolder,
                @Nullable Integer incarnation,
                Standing standing,
                @Nullable String organisationTokenPrefix,
                boolean anyLiveToken,
                boolean workspaceHasLiveToken) {
            this(
                    holder,
                    workspaceHolder,
                    incarnation,
                    standing,
                    organisationTokenPrefix,
                    anyLiveToken,
                    workspaceHasLiveToken,
                    null);
        }
    }
}
