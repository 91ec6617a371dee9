package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a workspace is and whether the caller may talk to it. Called by the proxy before every forward it has no fresh answer
 * for. Reads only, so it may be repeated.
 *
 * @param caller null for the canvas, which may talk to everybody
 */
public record ResolveRoute(UUID target, @Nullable UUID caller) {

    public static final Contract<ResolveRoute, Route> CONTRACT =
            Contract.reading("registry.resolve-route", ResolveRoute.class, Route.class);

    /**
     * The answer. Every field but {@code found} and {@code allowed} is meaningful only when both are true.
     *
     * @param found whether the target has a row; removed workspaces have one
     * @param allowed the access rule's verdict
     * @param url the stored URL, null or empty when there is none
     * @param provisioned whether our provisioner recorded the URL: then it is dialled without address rules (decision 7)
     * @param quarantined whether a person took the target out of everything: nothing is sent there, nothing waits for it
     * @param budgetExceeded whether the target has spent its budget
     * @param only10 whether the card that its agent registered offers A2A 1.0 and no older version
     * @param waking whether its agent is being started because somebody needs it, out of sleep
     * @param version grows with every change of the workspace; an older answer never replaces a newer one
     * @param governed whether there are rules of the policy, which are to be asked besides ({@link JudgeCall})
     */
    public record Route(
            boolean found,
            boolean allowed,
            String name,
            @Nullable String url,
            boolean provisioned,
            Delivery delivery,
            WorkspaceStatus status,
            boolean quarantined,
            boolean budgetExceeded,
            String runtime,
            boolean only10,
            int incarnation,
            boolean waking,
            long version,
            boolean governed) {

        /** Where no rule is. */
        public Route(
                boolean found,
                boolean allowed,
                String name,
                @Nullable String url,
                boolean provisioned,
                Delivery delivery,
                WorkspaceStatus status,
                boolean quarantined,
                boolean budgetExceeded,
                String runtime,
                boolean only10,
                int incarnation,
                boolean waking,
                long version) {
            this(
                    found,
                    allowed,
                    name,
                    url,
                    provisioned,
                    delivery,
                    status,
                    quarantined,
                    budgetExceeded,
                    runtime,
                    only10,
                    incarnation,
                    waking,
                    version,
                    false);
        }

        /** The same where there are rules. */
        public Route underPolicy() {
            return new Route(
                    found,
                    allowed,
                    name,
                    url,
                    provisioned,
                    delivery,
                    status,
                    quarantined,
                    budgetExceeded,
                    runtime,
                    only10,
                    incarnation,
                    waking,
                    version,
                    true);
        }

        /** Whether it gets what is meant for it once it was woken. */
        public boolean isAsleep() {
            return found && (status == WorkspaceStatus.HIBERNATED || waking);
        }

        /**
         * Whether messages are taken there. Whoever is paused, asleep or removed has no address, whatever the row still holds; nor has an
         * agent of ours that could not be started: anybody may listen at the port that it would have.
         */
        public boolean hasAddress() {
            return found
                    && url != null
                    && !url.isEmpty()
                    && status != WorkspaceStatus.PAUSED
                    && status != WorkspaceStatus.HIBERNATED
                    && status != WorkspaceStatus.REMOVED
                    && !(provisioned && status == WorkspaceStatus.FAILED);
        }
    }
}
