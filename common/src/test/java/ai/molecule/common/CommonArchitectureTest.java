package ai.molecule.common;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What may know what inside the foundation. */
@AnalyzeClasses(packages = "ai.molecule.common", importOptions = DoNotIncludeTests.class)
class CommonArchitectureTest {

    @ArchTest
    static final ArchRule common_knows_no_service = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "ai.molecule.registry..",
                    "ai.molecule.proxy..",
                    "ai.molecule.events..",
                    "ai.molecule.provisioner..",
                    "ai.molecule.cli..");

    @ArchTest
    static final ArchRule values_know_no_infrastructure = noClasses()
            .that()
            .resideInAnyPackage("..workspaces..", "..routing..", "..bus.registry..", "..bus.hints..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx..", "..common.http..", "..common.db..", "..common.redis..");

    @ArchTest
    static final ArchRule http_stays_in_the_kit = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "..common.http..", "..common.auth..", "..common.service..", "..common.net..", "..common.tracing..")
            .and()
            .doNotHaveSimpleName("MutualTls") // Vert.x keeps its word for client certificates with HTTP
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.ext.web..", "io.vertx.core.http..");

    @ArchTest
    static final ArchRule opentelemetry_stays_where_it_is_loaded_only_when_wanted = noClasses()
            .that()
            .resideOutsideOfPackage("..common.tracing..")
            .and()
            .resideOutsideOfPackage("..common.testing..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.opentelemetry..");
}
