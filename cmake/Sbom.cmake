# The bill of materials in SPDX 2.3 JSON: this version and the libraries that it is linked with, as pkg-config names them.
function(roof_sbom file)
  if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    set(ENV{SOURCE_DATE_EPOCH} 0) # equal builds are equal: its date is that of the sources where who builds says so
  endif()
  string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
  set(about "\"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, \"licenseConcluded\": \"NOASSERTION\", \"copyrightText\": \"NOASSERTION\"")
  set(packages "    {\"SPDXID\": \"SPDXRef-roofline\", \"name\": \"roofline\", \"versionInfo\": \"${PROJECT_VERSION}\", \"licenseDeclared\": \"Apache-2.0\", ${about}}")
  set(relations "    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-roofline\"}")
  foreach(prefix ${ARGN})
    set(name ${${prefix}_MODULE_NAME})
    set(reference "\"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", \"referenceLocator\": \"pkg:generic/${name}@${${prefix}_VERSION}\"}]")
    string(APPEND packages ",\n    {\"SPDXID\": \"SPDXRef-${name}\", \"name\": \"${name}\", \"versionInfo\": \"${${prefix}_VERSION}\", \"licenseDeclared\": \"NOASSERTION\", ${reference}, ${about}}")
    string(APPEND relations ",\n    {\"spdxElementId\": \"SPDXRef-roofline\", \"relationshipType\": \"DEPENDS_ON\", \"relatedSpdxElement\": \"SPDXRef-${name}\"}")
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"roofline-${PROJECT_VERSION}\",
  \"documentNamespace\": \"https://spdx.org/spdxdocs/roofline-${PROJECT_VERSION}\",
  \"creationInfo\": {\"created\": \"${created}\", \"creators\": [\"Tool: roofline-${PROJECT_VERSION}\"]},
  \"packages\": [\n${packages}\n  ],
  \"relationships\": [\n${relations}\n  ]
}
")
endfunction()
roof_sbom(${CMAKE_BINARY_DIR}/roofline.spdx.json JANSSON HWLOC ZLIB ZSTD LZMA SQLITE SODIUM MUPARSER POPT)
install(FILES ${CMAKE_BINARY_DIR}/roofline.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
