package ai.molecule.common.audit;

import java.util.Set;
import java.util.regex.Pattern;

/** The tables whose changes triggers record: before a statement that changes one, its transaction has to name the {@link Actor}. */
public final class Audited {

    public static final Set<String> TABLES = Set.of(
            "workspaces",
            "workspace_tokens",
            "org_tokens",
            "workspace_secrets",
            "global_secrets",
            "kept_secrets",
            "approvals",
            "approval_rules",
            "invitations",
            "instructions",
            "workspace_configs",
            "settings_files",
            "sessions",
            "organisation_keys",
            "policy_rules",
            "tenants",
            "people",
            "people_roles",
            "people_tenants",
            "people_links",
            "person_tokens",
            "passport_revocations");

    private static final Pattern CHANGE = Pattern.compile(
            "\\b(?:INSERT\\s+INTO|UPDATE|DELETE\\s+FROM)\\s+(?:\\w+\\.)?(?:" + String.join("|", TABLES)
                    + "|schedules|webhooks|notification_targets|chat_bots)\\b|\\bUPDATE\\s+(?:works|delegations)\\s+SET\\s+limit_usd\\b|\\blog\\.append_audit\\(");

    private Audited() {}

    /** Whether a statement of ours may leave a row in the record. */
    public static boolean by(String statement) {
        return CHANGE.matcher(statement).find();
    }
}
