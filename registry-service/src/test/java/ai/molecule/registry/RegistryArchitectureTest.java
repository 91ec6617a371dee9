package ai.molecule.registry;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import ai.molecule.common.testing.LayerRules;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;

/** {@code Routes -> Service -> Store <- PgStore}, and SQL nowhere else. */
@AnalyzeClasses(packages = "ai.molecule.registry", importOptions = DoNotIncludeTests.class)
class RegistryArchitectureTest {

    @ArchTest
    static final ArchTests layers = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule http_stays_in_routes = noClasses()
            .that()
            .haveNameNotMatching(".*Routes(\\$.*)?|.*\\.(PathIds|RegistryRouter)")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.vertx.ext.web..");
}
