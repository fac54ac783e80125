# docker buildx bake -f deploy/docker-bake.hcl --push: the image for two platforms, with a bill of materials and its provenance.
# Not run in our own test runs (no container engine there).
variable "IMAGE" { default = "turnpike" }
variable "VERSION" { default = "dev" }
variable "REVISION" { default = "" }
variable "SOURCE" { default = "" }

group "default" { targets = ["turnpike"] }

target "turnpike" {
  context    = "."
  dockerfile = "deploy/Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  tags       = ["${IMAGE}:${VERSION}"]
  args = {
    VERSION  = VERSION
    REVISION = REVISION
    SOURCE   = SOURCE
  }
  attest = ["type=sbom", "type=provenance,mode=max"]
}
