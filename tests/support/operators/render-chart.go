// Renders a Helm chart as Helm does, with the same template engine and the same library of functions: reads {"values", "capabilities"} from
// standard input and the chart's folder from the first argument, prints the manifests as a JSON list.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type object = map[string]interface{}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Numbers become float64, as in Helm, which reads YAML as JSON.
func readYaml(path string) object {
	text, err := os.ReadFile(path)
	check(err)
	var parsed, plain object
	check(yaml.Unmarshal(text, &parsed))
	printed, err := json.Marshal(parsed)
	check(err)
	check(json.Unmarshal(printed, &plain))
	return plain
}

// Objects are merged, everything else is replaced, and null removes a default.
func merge(base, over object) object {
	for name, value := range over {
		inner, isObject := value.(object)
		known, wasObject := base[name].(object)
		if isObject && wasObject {
			base[name] = merge(known, inner)
		} else if value == nil {
			delete(base, name)
		} else {
			base[name] = value
		}
	}
	return base
}

func toYaml(value interface{}) string {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	check(encoder.Encode(value))
	return strings.TrimSuffix(out.String(), "\n")
}

func main() {
	folder := os.Args[1]
	var over object
	check(json.NewDecoder(os.Stdin).Decode(&over))
	chart := readYaml(filepath.Join(folder, "Chart.yaml"))
	data := object{
		"Values": merge(readYaml(filepath.Join(folder, "values.yaml")), over),
		"Chart":  object{"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
		"Release": object{"Name": "turnpike", "Namespace": "default", "Service": "Helm"},
	}
	root := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = toYaml
	functions["include"] = func(name string, value interface{}) (string, error) {
		var out bytes.Buffer
		err := root.ExecuteTemplate(&out, name, value)
		return out.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	functions["lookup"] = func(_, _, _, _ string) object { return object{} }
	root.Funcs(functions)
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	sort.Strings(paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(err)
		_, err = root.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	manifests := []object{}
	for _, path := range paths {
		if !strings.HasSuffix(path, ".yaml") {
			continue
		}
		var out bytes.Buffer
		check(root.ExecuteTemplate(&out, filepath.Base(path), data))
		text := strings.ReplaceAll(out.String(), "<no value>", "")
		decoder := yaml.NewDecoder(strings.NewReader(text))
		for {
			var manifest object
			err := decoder.Decode(&manifest)
			if err == io.EOF {
				break
			}
			if err != nil {
				check(fmt.Errorf("%s: %w\n%s", filepath.Base(path), err, text))
			}
			if manifest != nil {
				manifests = append(manifests, manifest)
			}
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(manifests))
}
