package ai.molecule.sdk;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "ai.molecule.sdk", importOptions = DoNotIncludeTests.class)
class SdkArchitectureTest {

    @ArchTest
    static final ArchRule the_sdk_needs_the_jdk_jackson_and_snakeyaml_and_nothing_else = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "ai.molecule.sdk..",
                    "java..",
                    "com.fasterxml.jackson..",
                    "com.sun.net.httpserver..",
                    "org.yaml.snakeyaml..",
                    "org.jspecify..");
}
