package ai.molecule.registry;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.hints.ApprovalsChanged;
import ai.molecule.common.bus.hints.PassportsRevoked;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.config.Environment;
import ai.molecule.common.db.Session;
import ai.molecule.common.db.Sql;
import ai.molecule.common.loops.LongPolls;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.registry.approvals.ApprovalService;
import ai.molecule.registry.approvals.AwaitedApprovals;
import ai.molecule.registry.approvals.PgApprovalDecisions;
import ai.molecule.registry.approvals.PgApprovalExport;
import ai.molecule.registry.approvals.PgApprovalStore;
import ai.molecule.registry.budgets.BudgetLevels;
import ai.molecule.registry.budgets.PgBudgetLevels;
import ai.molecule.registry.budgets.PgBudgetStore;
import ai.molecule.registry.canvas.PgViewportStore;
import ai.molecule.registry.cards.PgCardStore;
import ai.molecule.registry.chats.ChatService;
import ai.molecule.registry.chats.PgChatCodeStore;
import ai.molecule.registry.configs.PgConfigStore;
import ai.molecule.registry.deciders.ApprovalRuleService;
import ai.molecule.registry.deciders.PgApprovalRuleStore;
import ai.molecule.registry.devices.DeviceService;
import ai.molecule.registry.devices.PgDeviceStore;
import ai.molecule.registry.discovery.DiscoveryService;
import ai.molecule.registry.discovery.FrontDoorAddress;
import ai.molecule.registry.discovery.PeerBook;
import ai.molecule.registry.discovery.PgDiscoveryStore;
import ai.molecule.registry.endpoints.PgEndpointStore;
import ai.molecule.registry.explanations.ExplanationService;
import ai.molecule.registry.externals.ExternalAgents;
import ai.molecule.registry.freeze.EngineWitness;
import ai.molecule.registry.freeze.PgFreezeStore;
import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.heartbeats.HeartbeatService;
import ai.molecule.registry.heartbeats.PgHeartbeatStore;
import ai.molecule.registry.hibernation.HibernationService;
import ai.molecule.registry.hibernation.PgHibernationStore;
import ai.molecule.registry.instructions.PgInstructionStore;
import ai.molecule.registry.invitations.InvitationService;
import ai.molecule.registry.invitations.PgInvitationStore;
import ai.molecule.registry.keys.Issuer;
import ai.molecule.registry.keys.OrganisationKeys;
import ai.molecule.registry.keys.PairTokens;
import ai.molecule.registry.keys.PgBranchChanges;
import ai.molecule.registry.keys.PgOrganisationKeyStore;
import ai.molecule.registry.keyvalues.KeyValueService;
import ai.molecule.registry.keyvalues.PgKeyValueStore;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.LifecycleService;
import ai.molecule.registry.lifecycle.PgLifecycleStore;
import ai.molecule.registry.memories.MemoryService;
import ai.molecule.registry.memories.PgMemoryStore;
import ai.molecule.registry.orgtokens.OrgTokenService;
import ai.molecule.registry.orgtokens.PgOrgTokenStore;
import ai.molecule.registry.passports.Passports;
import ai.molecule.registry.passports.PgRecentAskers;
import ai.molecule.registry.passports.PgRevocationStore;
import ai.molecule.registry.people.Passwords;
import ai.molecule.registry.people.PeopleService;
import ai.molecule.registry.people.PgPeopleStore;
import ai.molecule.registry.people.PgPersonTokenStore;
import ai.molecule.registry.policy.PgPolicyStore;
import ai.molecule.registry.policy.PolicyService;
import ai.molecule.registry.registrations.AgentUrls;
import ai.molecule.registry.registrations.Enrolment;
import ai.molecule.registry.registrations.PgRegistrationStore;
import ai.molecule.registry.registrations.RegistrationService;
import ai.molecule.registry.restarts.PgRestartStore;
import ai.molecule.registry.restarts.RestartSweep;
import ai.molecule.registry.secrets.PgGlobalSecretStore;
import ai.molecule.registry.secrets.PgKeptSecretStore;
import ai.molecule.registry.secrets.PgSecretHolders;
import ai.molecule.registry.secrets.PgSecretReads;
import ai.molecule.registry.secrets.PgSecretRotation;
import ai.molecule.registry.secrets.PgSecretStore;
import ai.molecule.registry.secrets.RowSealing;
import ai.molecule.registry.secrets.SecretReads;
import ai.molecule.registry.secrets.SecretService;
import ai.molecule.registry.secrets.Vault;
import ai.molecule.registry.secrets.stores.SecretStores;
import ai.molecule.registry.sessions.PgSessionStore;
import ai.molecule.registry.sessions.SessionService;
import ai.molecule.registry.signins.PgSignInStore;
import ai.molecule.registry.signins.SignInService;
import ai.molecule.registry.tenants.PgTenantStore;
import ai.molecule.registry.tokens.BatchedVerdicts;
import ai.molecule.registry.tokens.PgTokenStore;
import ai.molecule.registry.tokens.TokenService;
import ai.molecule.registry.versions.PgVersionStore;
import ai.molecule.registry.versions.VersionService;
import ai.molecule.registry.workspaces.MoveService;
import ai.molecule.registry.workspaces.PgMoves;
import ai.molecule.registry.workspaces.PgWorkspaceCreation;
import ai.molecule.registry.workspaces.PgWorkspaceQuota;
import ai.molecule.registry.workspaces.PgWorkspaceStore;
import ai.molecule.registry.workspaces.ProgramTiers;
import ai.molecule.registry.workspaces.WorkspaceService;
import io.vertx.core.Context;
import java.time.Clock;
import java.time.Duration;

/** What the registry is made of, in the order in which one part needs another: stores, and what they serve. */
final class RegistryServices {

    /** Of 25,600,000,000 codes that hold ten minutes each. */
    private static final int CODES_OF_SENDER = 10;

    private static final int CODES_OF_ALL = 600;
    private static final Duration CODES_WINDOW = Duration.ofHours(1);

    /** So long may an agent in production be away from the platform, or the platform from it, before its start has to be made anew. */
    private static final Duration START_UNUSED = Duration.ofHours(24);

    final Guards guards;
    final TokenService tokens;
    final BatchedVerdicts verdicts;
    final OrgTokenService orgTokens;
    final SessionService sessions;
    final PeopleService people;
    final SignInService signIns;
    final DeviceService devices;
    final ChatService chats;
    final OrganisationKeys keys;
    final PgBranchChanges branchChanges;
    final Issuer issuer;
    final Passports passports;
    final SecretStores secretStores;
    final SecretService secrets;
    final PgKeptSecretStore keptSecrets;
    final RowSealing rowSealing;
    final WorkspaceService workspaces;
    final MoveService moves;
    final VersionService versions;
    final InvitationService invitations;
    final LifecycleService lifecycle;
    final HibernationService hibernation;
    final RestartFreeze freeze;
    final RestartSweep restarts;
    final RegistrationService registrations;
    final HeartbeatService heartbeats;
    final ExternalAgents externals;
    final FrontDoorAddress frontDoor;
    final PgDiscoveryStore near;
    final DiscoveryService discovery;
    final PgEndpointStore endpoints;
    final PgTenantStore tenants;
    final PolicyService policy;
    final ExplanationService explanations;
    final PgCardStore cards;
    final MemoryService memories;
    final KeyValueService keyValues;
    final ApprovalRuleService approvalRules;
    final PgRecentAskers askers;
    final ApprovalService approvals;
    final AwaitedApprovals awaitedApprovals;
    final PgBudgetStore budgets;
    final BudgetLevels budgetLevels;
    final PgConfigStore configs;
    final PgInstructionStore instructions;
    final PgViewportStore viewport;
    final Announcements announcements;

    /**
     * @param searching for statements whose cost strangers' texts decide
     * @param heartbeatSession for heartbeats alone
     * @param registering with the rules for addresses that agents register; dials nothing
     * @param dialling with the rules for addresses that are dialled; dials agents elsewhere for their cards
     * @param providers dials where people sign in
     */
    RegistryServices(
            ServiceContext service,
            RegistryConfig config,
            Clock clock,
            Context context,
            Sql searching,
            Session heartbeatSession,
            SafeDialer registering,
            SafeDialer dialling,
            SafeDialer providers) {
        var platform = config.platform();
        var bus = service.bus();
        var database = service.database();
        var quotas = config.quotas();
        boolean production = platform.environment() == Environment.PRODUCTION;

        announcements = new Announcements(bus, service.redis(), config.livenessTtl());
        var tokenStore = new PgTokenStore(database);
        tokens = new TokenService(
                tokenStore, bus, clock, platform.environment() == Environment.PRODUCTION ? START_UNUSED : null);
        verdicts = new BatchedVerdicts(tokens, tokenStore, clock, context);
        guards = new Guards(platform, tokens);
        orgTokens = new OrgTokenService(new PgOrgTokenStore(database), tokens, clock);
        sessions = new SessionService(new PgSessionStore(database), tokens, platform.adminToken(), clock);
        people = new PeopleService(
                new PgPeopleStore(database),
                new PgPersonTokenStore(database),
                new Passwords(service.vertx()),
                tokens,
                clock);
        signIns = new SignInService(
                new PgSignInStore(database),
                people,
                SignInService.clients(config.signInProviders(), providers, clock),
                clock);
        devices = new DeviceService(new PgDeviceStore(database), clock);

        var vault = new Vault(config.encryptionKey(), config.oldEncryptionKeys());
        branchChanges = new PgBranchChanges(database);
        keys = new OrganisationKeys(new PgOrganisationKeyStore(database, vault), clock);
        issuer = new Issuer(keys, clock);
        secretStores = new SecretStores(service.vertx(), config.secretStores());
        var secretStore = new PgSecretStore(database, vault, config.providerSecrets());
        keptSecrets = new PgKeptSecretStore(database, vault);
        rowSealing = new RowSealing(vault);
        secrets = new SecretService(
                secretStore,
                new PgGlobalSecretStore(database, vault, config.providerSecrets()),
                new PgSecretRotation(database, vault),
                new SecretReads(new PgSecretReads(database)),
                new PgSecretHolders(database),
                secretStores,
                vault,
                guards,
                clock,
                config.providerSecrets(),
                production);

        var places = new PgWorkspaceQuota(config.childrenMax(), config.workspacesMax());
        var creation = new PgWorkspaceCreation(secretStore, places);
        var workspaceStore = new PgWorkspaceStore(database, places, creation, context);
        workspaces = new WorkspaceService(
                workspaceStore,
                config.runtimes(),
                new ProgramTiers(service.bus()),
                tokens,
                guards,
                announcements,
                clock);
        moves = new MoveService(new PgMoves(database, places), workspaces, bus);
        versions = new VersionService(
                database,
                new PgVersionStore(database),
                workspaceStore,
                secretStore,
                new PgBudgetStore(database),
                announcements,
                bus,
                clock);
        var invitationStore = new PgInvitationStore(database, creation);
        invitations = new InvitationService(invitationStore, clock);

        freeze = new RestartFreeze(new PgFreezeStore(database), () -> EngineWitness.isWell(bus));
        lifecycle = new LifecycleService(new PgLifecycleStore(database), tokens, announcements, freeze, clock);
        hibernation =
                new HibernationService(new PgHibernationStore(database, config.idleMinutes()), lifecycle, bus, clock);
        restarts = new RestartSweep(new PgRestartStore(database), lifecycle, clock);

        var enrolment = Enrolment.of(platform);
        registrations = new RegistrationService(
                new PgRegistrationStore(database, enrolment, invitationStore, places),
                enrolment,
                new AgentUrls(registering),
                tokens,
                guards,
                announcements,
                clock);
        near = new PgDiscoveryStore(database, context);
        frontDoor = FrontDoorAddress.of(config);
        var peers = new PeerBook(near, frontDoor, bus);
        announcements.tellFirst(peers::changed);
        heartbeats = new HeartbeatService(
                context.owner(),
                new PgHeartbeatStore(heartbeatSession),
                tokens,
                new Guards(platform, verdicts),
                announcements,
                peers,
                keys,
                bus,
                clock);
        externals = new ExternalAgents(database, dialling, registrations, heartbeats, config.externalStaleness());
        discovery = new DiscoveryService(near, peers, guards, dialling, frontDoor, new PairTokens(issuer, clock));
        askers = new PgRecentAskers(database);
        passports = new Passports(
                issuer,
                near,
                new PgRevocationStore(database),
                askers,
                () -> bus.publish(PassportsRevoked.HINT, new PassportsRevoked()),
                config.passportDepthMax(),
                clock);
        bus.listen(PassportsRevoked.HINT, hint -> passports.forget());
        bus.listen(TokensChanged.HINT, hint -> {
            if (hint.workspaceId() == null) {
                passports.forget(); // somebody may have been shut out
            }
        });
        endpoints = new PgEndpointStore(database, announcements, clock);
        tenants = new PgTenantStore(database);
        policy = new PolicyService(service.vertx(), new PgPolicyStore(database), bus, clock);
        explanations = new ExplanationService(near, endpoints, policy);
        cards = new PgCardStore(database);

        memories = new MemoryService(
                new PgMemoryStore(database, searching, quotas.memories(), new ActivityLog(bus, clock)), clock);
        keyValues = new KeyValueService(new PgKeyValueStore(database, quotas.keyValues()), clock);
        var approvalStore = new PgApprovalStore(database);
        awaitedApprovals = new AwaitedApprovals(approvalStore, new LongPolls(service.vertx()), bus);
        approvalRules = new ApprovalRuleService(
                service.vertx(), new PgApprovalRuleStore(database), new PgPolicyStore(database), clock);
        approvals = new ApprovalService(
                approvalStore,
                new PgApprovalDecisions(database),
                new PgApprovalExport(database),
                approvalRules,
                askers,
                config.pendingApprovalsMax(),
                clock,
                () -> {
                    bus.publish(ApprovalsChanged.HINT, new ApprovalsChanged());
                    hibernation.wakeAnswered(); // its loop does, where this fails
                });
        chats = new ChatService(
                new PgChatCodeStore(database),
                tokens,
                approvals,
                new FixedWindow(
                        service.redis(), service.sharedWindows(), clock, "chat-codes", CODES_OF_SENDER, CODES_WINDOW),
                new FixedWindow(
                        service.redis(), service.sharedWindows(), clock, "chat-guesses", CODES_OF_ALL, CODES_WINDOW),
                clock);
        budgets = new PgBudgetStore(database);
        budgetLevels = new BudgetLevels(new PgBudgetLevels(database), bus, clock);
        configs = new PgConfigStore(database);
        instructions = new PgInstructionStore(database);
        viewport = new PgViewportStore(database);
    }
}
