package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Guard;
import ai.molecule.common.bus.Contract;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckWorkspaces;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.Hibernate;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.MayAct;
import ai.molecule.common.bus.registry.NoteSettingsFile;
import ai.molecule.common.bus.registry.OpenSecret;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.bus.registry.SealSecret;
import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SeedMemories;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.bus.registry.SetSecrets;
import ai.molecule.common.bus.registry.SignAuditHead;
import ai.molecule.common.bus.registry.SignNotification;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.bus.registry.UnmeteredWorkspaces;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.WakeWorkspace;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code docs/wire/registry.md} against the router and the contracts. */
class RegistryDocumentTest {

    private static final Pattern ROUTE = Pattern.compile("^\\| `([A-Z]+ /[^`]*)` \\| `([A-Z_]+)` \\|.*");
    private static final Pattern ADDRESS = Pattern.compile("^\\| `(registry\\.[a-z-]+)` \\|.*");
    private static final Set<String> PROBES = Set.of("/health", "/ready", "/metrics");
    private static final Set<String> FOR_EVERYBODY = Set.of("/.well-known/jwks.json");

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void every_route_is_described_with_its_guard_and_no_other_is() throws IOException {
        var served = registry.verticle.routes().stream()
                .map(route -> route.method() + " " + route.path() + " " + route.guard())
                .collect(Collectors.toSet());

        assertThat(described(ROUTE, 2)).isEqualTo(served);
    }

    @Test
    void every_contract_is_described_and_no_other_is() throws IOException {
        var served = Stream.of(
                        ResolveRoute.CONTRACT,
                        JudgeCall.CONTRACT,
                        VerifyToken.CONTRACT,
                        SetDesired.CONTRACT,
                        RestartSoon.CONTRACT,
                        Hibernate.CONTRACT,
                        SetIdleMinutes.CONTRACT,
                        WakeWorkspace.CONTRACT,
                        Transition.CONTRACT,
                        RecordEndpoint.CONTRACT,
                        CollapseWorkspace.CONTRACT,
                        RemoveWorkspace.CONTRACT,
                        CreateWorkspaces.CONTRACT,
                        CheckWorkspaces.CONTRACT,
                        DescribeBranch.CONTRACT,
                        GlobalSecretNames.CONTRACT,
                        NoteSettingsFile.CONTRACT,
                        ListManaged.CONTRACT,
                        Directory.CONTRACT,
                        IssueStartToken.CONTRACT,
                        IssuePairToken.CONTRACT,
                        IssuePassport.CONTRACT,
                        CheckPassport.CONTRACT,
                        SignAuditHead.CONTRACT,
                        SignNotification.CONTRACT,
                        KeepSecret.CONTRACT,
                        KeptSecret.CONTRACT,
                        SealSecret.CONTRACT,
                        OpenSecret.CONTRACT,
                        MayAct.CONTRACT,
                        LinkChat.CONTRACT,
                        DecideApproval.CONTRACT,
                        BudgetOf.CONTRACT,
                        UnmeteredWorkspaces.CONTRACT,
                        SecretsFor.CONTRACT,
                        SetSecrets.CONTRACT,
                        TaskApprovals.CONTRACT,
                        TouchOutbound.CONTRACT,
                        SeedMemories.CONTRACT,
                        SearchMemories.CONTRACT)
                .map(Contract::address)
                .collect(Collectors.toSet());

        assertThat(described(ADDRESS, 1)).isEqualTo(served);
    }

    @Test
    void every_route_is_the_registrys_to_answer_and_asks_who_calls() {
        for (var route : registry.verticle.routes()) {
            if (PROBES.contains(route.path())) {
                continue;
            }
            assertThat(RoutingTable.ownerOf(route.path())).as(route.path()).contains(Owner.REGISTRY);
            assertThat(route.guard() == Guard.OPEN)
                    .as(route.toString())
                    .isEqualTo(FOR_EVERYBODY.contains(route.path()));
        }
    }

    @Test
    void guarded_routes_refuse_strangers() {
        String id = registry.create("Guarded");
        registry.token(id);
        List<Guard> asking =
                List.of(Guard.ADMIN, Guard.LISTING, Guard.OWNER, Guard.PERSON, Guard.WORKSPACE, Guard.CANVAS_OR_BEARER);

        for (var route : registry.verticle.routes()) {
            if (asking.contains(route.guard())) {
                String path = route.path().replace(":id", id).replace(":tokenId", id);
                assertThat(registry.send(route.method(), path, null, null).status())
                        .as(path)
                        .isEqualTo(401);
                assertThat(registry.send(route.method(), path, null, "garbage").status())
                        .as(path)
                        .isEqualTo(401);
            }
        }
    }

    private static Set<String> described(Pattern row, int groups) throws IOException {
        try (var lines = Files.lines(Documents.WIRE_REGISTRY)) {
            return lines.map(row::matcher)
                    .filter(matcher -> matcher.matches())
                    .map(matcher -> groups == 1 ? matcher.group(1) : matcher.group(1) + " " + matcher.group(2))
                    .collect(Collectors.toSet());
        }
    }
}
