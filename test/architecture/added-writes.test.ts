/**
 * TypeScript allows an asynchronous method in place of one that returns void. Nobody would wait for
 * the promise of such a write, and its failure would be lost. So this test asks the compiler for
 * the types.
 */
import { expect, test } from '@jest/globals';
import ts from 'typescript';

interface Found {
  readonly added: readonly string[];
  readonly floating: readonly string[];
}

/**
 * Returns the methods of classes in these files that override a method of `void`, and those of them
 * that return a promise.
 */
function overridesIn(program: ts.Program, isOurs: (file: string) => boolean): Found {
  const checker = program.getTypeChecker();
  const added: string[] = [];
  const floating: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassDeclaration(node)) {
      for (const method of node.members.filter(ts.isMethodDeclaration)) {
        const overridden = overriddenBy(checker, node, method);
        if (overridden === undefined || !isVoid(returnOf(checker, overridden))) continue;
        const name = `${node.name?.text}.${method.name.getText()}`;
        added.push(name);
        if (!isVoid(returnOf(checker, method))) floating.push(name);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (isOurs(file.fileName)) visit(file);
  return { added, floating };
}

function overriddenBy(
  checker: ts.TypeChecker,
  { heritageClauses = [] }: { heritageClauses?: readonly ts.HeritageClause[] },
  { name }: ts.MethodDeclaration,
): ts.Declaration | undefined {
  const parents = heritageClauses.flatMap(({ types }) => types);
  const members = parents.map((parent) =>
    checker.getTypeAtLocation(parent).getProperty(name.getText()),
  );
  return members.find((member) => member !== undefined)?.valueDeclaration;
}

function returnOf(checker: ts.TypeChecker, method: ts.Declaration): ts.Type | undefined {
  const [signature] = checker.getTypeAtLocation(method).getCallSignatures();
  return signature?.getReturnType();
}

const isVoid = (type: ts.Type | undefined) => ((type?.flags ?? 0) & ts.TypeFlags.Void) !== 0;

function programOf(files: readonly string[], options: ts.CompilerOptions): ts.Program {
  return ts.createProgram({ rootNames: files, options: { ...options, noEmit: true } });
}

test('no adapter returns a promise where its port adds a write', () => {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const isAdapter = (file: string) => /src\/modules\/.*\/adapters\/persistence\//.test(file);
  const { added, floating } = overridesIn(programOf(fileNames, options), isAdapter);
  expect(added).toEqual(expect.arrayContaining(['TypeormRefunds.add', 'TypeormHolds.close']));
  expect(floating).toEqual([]);
});

test('an asynchronous method in place of one that adds a write is found', () => {
  const source = `abstract class Holds { abstract add(): void; abstract get(): Promise<void> }
    export class Floating extends Holds { async add() {} async get() {} }`;
  const file = 'floating.ts';
  const host = ts.createCompilerHost({});
  const sourceOf = host.getSourceFile.bind(host);
  host.getSourceFile = (name, target) =>
    name === file ? ts.createSourceFile(file, source, target, true) : sourceOf(name, target);
  const program = ts.createProgram([file], { target: ts.ScriptTarget.ES2022 }, host);
  const { floating } = overridesIn(program, (name) => name === file);
  expect(floating).toEqual(['Floating.add']);
});
